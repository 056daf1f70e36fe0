"""``ullage budget``: the file, the table and the bar, and what is wrong with a file."""

import json

import pytest

from ullage import Budget, Section, allocate, chat_sections

WINDOW = """
[budget]
window = 1000
output_reserve = 100
slack = 0.05

[[section]]
name = "instructions"
files = ["prompts/*.md"]

[[section]]
name = "history"
tokens = [100, 100, 100, 100]

[[section]]
name = "documents"
quota = 300
items = [{ tokens = 150, score = 0.2 }, { tokens = 50, score = 0.9, times = 6 }, { text = "a text", score = 1 }]

[[section]]
name = "question"
texts = "How high is the tide?"
"""


@pytest.fixture
def window(tree):
    return tree({"window.toml": WINDOW, "prompts/b.md": "Second. " * 10, "prompts/a.md": "First. " * 10})


@pytest.mark.usefixtures("window")
def test_the_table_adds_up(budget):
    result = budget("window.toml", "--show", columns=101)
    assert result.exit_code == 0, result.output
    bar, _, *table = result.stdout.splitlines()
    assert bar == "IIII" + "H" * 40 + "D" * 30 + "Q" + "." * 10 + "=" * 5 + "-" * 10 + "|"
    assert [line.split() for line in table] == [
        ["section", "asks", "for", "quota", "gets", "share", "items", "keep"],
        ["I", "instructions", "38", "38", "3.8%", "2", "never"],
        ["H", "history", "400", "400", "40.0%", "4", "oldest-first"],
        ["D", "documents", "452", "300", "302", "30.2%", "7", "of", "8", "lowest-score-first"],
        ["Q", "question", "6", "6", "0.6%", "1", "truncate"],
        [".", "free", "104", "10.4%"],
        ["=", "slack", "50", "5.0%"],
        ["-", "reserve", "100", "10.0%"],
        ["window", "1,000"],
        [],
        ["section", "items", "done", "before", "after", "why"],
        ["documents", "0", "dropped", "150", "0", "lowest", "score", "first:", "302", "of", "452", "tokens", "stay"],
    ]


@pytest.mark.usefixtures("window")
def test_the_numbers_as_json(budget):
    found = budget.json("window.toml")
    sections = {section["name"]: section for section in found["sections"]}
    assert found["room"] == 850
    assert found["tokens"] == sum(section["tokens"] for section in sections.values()) == found["receipt"]["after"]
    assert found["tokens"] + found["free"] == 850
    assert sections["instructions"] == {
        "name": "instructions",
        "wanted": 38,
        "quota": 38,
        "tokens": 38,
        "items": 2,
        "items_sent": 2,
    }
    assert (sections["documents"]["items"], sections["documents"]["quota"]) == (8, 300)
    assert [entry["section"] for entry in found["receipt"]["entries"]] == ["documents"]


def test_messages_and_files_of_a_model(budget, tree):
    messages = [
        {"role": "user", "content": "a question " * 20},
        {"role": "assistant", "content": "an answer " * 20},
    ] * 9
    tree(
        {
            "w/window.toml": """
                [budget]
                model = "gpt-4o"
                target = 300

                [[section]]
                name = "free"
                files = "notes.md"

                [[section]]
                name = "history"
                messages = "session.json"
                """,
            "w/notes.md": "A note.",
            "w/session.json": json.dumps(messages),
        }
    )
    found = budget.json("w/window.toml")
    history = found["sections"][0]
    assert history["name"] == "history"
    assert history["items"] == 18
    sections = [Section("free", "A note."), *chat_sections(history=messages)]
    shared = allocate(sections, Budget.for_model("gpt-4o", target=300), model="gpt-4o")
    assert history["items_sent"] == len(shared.sections["history"].items) == 6
    table = budget("w/window.toml", columns=80)
    assert table.exit_code == 0
    assert "F free" in table.stdout
    assert ". free" in table.stdout


def test_what_cannot_fit_is_exit_code_3(budget, tree):
    tree({"window.toml": "[budget]\nwindow = 100\n[[section]]\nname = 'instructions'\ntokens = 120\n"})
    result = budget("window.toml")
    assert result.exit_code == 3
    assert "20 above the limit of 100 (instructions 120)" in result.stderr
    assert json.loads(budget("window.toml", "--json").stdout)["cannot_fit"]["over"] == 20


def test_nothing_leaves(budget, tree):
    tree({"window.toml": "[budget]\nwindow = 100\n[[section]]\nname = 'instructions'\ntokens = 20\n"})
    assert budget("window.toml", "--show").stdout.endswith("Nothing leaves.\n")


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("window = ", "it is not TOML: Invalid value (at end of document)"),
        ("", "budget: write [budget] above its keys"),
        ("sections = 1", "sections: there is no such key; there are: budget, section"),
        ("[budget]\nwindows = 5", "budget.windows: there is no such key; there are: model, window, output_reserve"),
        ("[budget]\nwindow = 5", "section: write [[section]] above the keys of each section"),
        ("[budget]\nwindow = 5\n[section]", "section: write [[section]] above the keys of each section"),
        ("[budget]\n[[section]]", "budget.window: give the tokens of the window, or budget.model"),
        ("[budget]\nwindow = '5'\n[[section]]", "budget: window must be int, not str"),
        ("[budget]\nwindow = 5\noutput_reserve = 5\n[[section]]", "budget: a window of 5 tokens minus an output"),
        ("[budget]\nmodel = 'who-knows'\n[[section]]", "budget.model: no profile is known for model 'who-knows'"),
        ("[budget]\nmodel = 5\n[[section]]", "budget.model: it must be a text, not int"),
        ("[budget]\nmodel = 'llama3'\n[[section]]", "budget: no window is known for model 'llama3'"),
        ("quote = 5", "section[0].quote: there is no such key; there are: name, quota"),
        ("tokens = 5", "section[0].name: it is missing"),
        ("name = 5", "section[0].name: it must be a text, not int"),
        ("name = 'a'\nquota = 2.5", "section[0]: quota of section 'a' is 2.5, a share above 1"),
        ("name = 'a'\nkeep = 'newest'", "section[0].keep: it is 'newest', and not one of never, whole, oldest-first"),
        ("name = 'a'\ntokens = ['5']", "section[0].tokens[0]: tokens must be int, not str"),
        ("name = 'a'\ntexts = [5]", "section[0].texts[0]: it must be a text, not int"),
        ("name = 'a'\nfiles = 'none/*.md'", "section[0].files: there is no file 'none/*.md'"),
        ("name = 'a'\nfiles = ['binary']", "section[0].files[0]: binary is not text"),
        ("name = 'a'\nitems = [5]", "section[0].items[0]: write it as { text = ... }"),
        ("name = 'a'\nitems = [{ score = 1 }]", "section[0].items[0]: give one of text, file and tokens"),
        ("name = 'a'\nitems = [{ tokens = 1, times = 0 }]", "section[0].items[0].times: it must be a whole number"),
        (
            "name = 'a'\nitems = [{ tokens = 1, times = 999999999999 }]",
            "items[0].times: it must be a whole number within",
        ),
        ("name = 'a'\nfiles = '/none/*.md'", "section[0].files: '/none/*.md' is absolute; give it relative"),
        ("name = 'a'\nitems = [{ tokens = 1, score = 'x' }]", "section[0].items[0]: score must be a number, not str"),
        ("name = 'a'\nitems = [{ tokens = 1, sore = 1 }]", "section[0].items[0].sore: there is no such key"),
        ("name = 'a'\nmessages = 'prose'\ntokens = 5", "section[0].messages: a section of messages has no tokens"),
        ("name = 'a'\nmessages = 'prose'", "section[0].messages: prose: it holds no messages"),
        ("name = 'a'\n[[section]]\nname = 'a'", "sections[1] has the name 'a' again"),
    ],
)
def test_what_is_wrong_with_a_file_names_the_key(budget, tree, config, sentence):
    whole = not config or config.startswith(("[", "window", "sections"))
    start = "" if whole else "[budget]\nwindow = 100\n[[section]]\n"
    tree({"window.toml": start + config, "binary": b"a\0b", "prose": "prose"})
    result = budget("window.toml")
    assert result.exit_code == 1
    assert result.stderr.startswith("ullage: window.toml: ")
    assert sentence in result.stderr


def test_a_file_that_is_not_there(budget, tree):
    tree({"window.toml": "[budget]\nwindow = 9\n[[section]]\nname = 'a'\nitems = [{ file = 'none.md' }]\n"})
    result = budget("window.toml")
    assert result.exit_code == 1
    assert "none.md: No such file or directory" in result.stderr
    assert budget("none.toml").exit_code == 1


def test_standard_input(budget):
    config = "[budget]\nwindow = 100\n[[section]]\nname = 'notes'\ntexts = 'a note'\n"
    assert "N notes" in budget("-", stdin=config, columns=80).stdout
