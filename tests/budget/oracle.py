"""What `allocate` grants, in plain fractions and by trying every room: an oracle for small cases."""

from fractions import Fraction


def amount(value, wanted, room):
    if value is None:
        return Fraction(wanted)
    return min(Fraction(wanted), Fraction(str(value)) * room if isinstance(value, float) else Fraction(value))


def grants(asks, room):
    """Tokens of each section; asks are dicts of needed, wanted, minimum, quota, maximum, priority, weight."""
    given = [Fraction(ask["needed"]) for ask in asks]
    left = room - sum(given)
    tops = [{name: amount(ask[name], ask["wanted"], room) for name in ("minimum", "quota", "maximum")} for ask in asks]
    priorities = sorted({ask["priority"] for ask in asks}, reverse=True)
    rounds = [("minimum", priority) for priority in priorities]
    rounds += [("quota", priority) for priority in priorities]
    for name, priority in [*rounds, ("maximum", None)]:
        top = [min(each[name], each["maximum"]) for each in tops]
        # Pour: everybody who has not enough gets by weight, until somebody has enough or nothing is left.
        while left > 0:
            hungry = [
                at
                for at, ask in enumerate(asks)
                if given[at] < top[at] and (priority is None or ask["priority"] == priority)
            ]
            if not hungry:
                break
            weight = {at: Fraction(str(asks[at]["weight"])) for at in hungry}
            level = min(min((top[at] - given[at]) / weight[at] for at in hungry), left / sum(weight.values()))
            for at in hungry:
                given[at] += level * weight[at]
            left -= level * sum(weight.values())
    return given


def stays(costs, keep, scores, maximum, granted):
    """Indices of the items that stay, and their tokens."""
    order = list(range(len(costs)))
    if keep == "oldest":
        order.reverse()
    if keep == "ends":
        order = []
        rest = list(range(len(costs)))
        while rest:
            order.append(rest.pop(0))
            rest.reverse()
        # first, last, second, ...
    if keep == "score":
        order.sort(key=lambda at: -scores[at])
        if isinstance(maximum, int):
            order = [at for at in order if costs[at] <= maximum]
    if keep in ("whole", "never"):
        return (set(order), sum(costs)) if sum(costs) <= granted else (set(), 0)
    found, total = set(), 0
    for at in order:
        if total + costs[at] > granted:
            break
        found.add(at)
        total += costs[at]
    return found, total


def allocation(sections, room):
    """The indices that stay of each section; sections are dicts of an ask, `costs`, `keep` and `scores`."""
    found = None
    most = [amount(section["maximum"], section["wanted"], room) for section in sections]
    # Beyond this every share of a positive size is all that a section wants.
    enough = room + 20 * (1 + sum(section["wanted"] for section in sections))
    tried = room
    while True:
        given = grants(sections, tried)
        each = [
            stays(section["costs"], section["keep"], section["scores"], section["maximum"], tokens)
            for section, tokens in zip(sections, given, strict=True)
        ]
        taken = [tokens for _, tokens in each]
        if sum(taken) > room or any(tokens > top for tokens, top in zip(taken, most, strict=True)):
            return found
        found = [stay for stay, _ in each]
        if tried > enough:
            return found
        tried += 1
