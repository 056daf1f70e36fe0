-- Tools that are lent out by the hour, and what each of them earned last quarter.
CREATE TABLE tool (
    tool_id     INTEGER PRIMARY KEY,
    label       TEXT    NOT NULL UNIQUE,
    hourly_rate NUMERIC(6, 2) NOT NULL CHECK (hourly_rate > 0),
    retired_on  DATE
);

CREATE TABLE rental (
    rental_id   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool_id     INTEGER NOT NULL REFERENCES tool (tool_id),
    member_no   INTEGER NOT NULL,
    taken_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    returned_at TIMESTAMPTZ,
    CHECK (returned_at IS NULL OR returned_at >= taken_at)
);

CREATE INDEX rental_open_idx ON rental (tool_id) WHERE returned_at IS NULL;

INSERT INTO tool (tool_id, label, hourly_rate) VALUES
    (1, 'hedge trimmer', 3.50),
    (2, 'tile cutter',   6.00),
    (3, 'ladder, 7 m',   2.25),
    (4, 'concrete mixer', 9.90);

WITH finished AS (
    SELECT r.tool_id,
           r.member_no,
           EXTRACT(EPOCH FROM r.returned_at - r.taken_at) / 3600.0 AS hours
    FROM rental AS r
    WHERE r.returned_at >= date_trunc('quarter', now()) - INTERVAL '3 months'
      AND r.returned_at <  date_trunc('quarter', now())
)
SELECT t.label,
       COUNT(*)                                        AS rentals,
       COUNT(DISTINCT f.member_no)                     AS members,
       ROUND(SUM(CEIL(f.hours) * t.hourly_rate), 2)    AS earned,
       ROUND(100.0 * SUM(f.hours) / SUM(SUM(f.hours)) OVER (), 1) AS share_of_hours
FROM finished AS f
JOIN tool AS t USING (tool_id)
WHERE t.retired_on IS NULL
GROUP BY t.tool_id, t.label
HAVING COUNT(*) > 1
ORDER BY earned DESC, t.label;
