"""prune_log on real outputs, recorded from the tools themselves (see recorded/README.md)."""

import re
from pathlib import Path

import pytest

import ullage
from ullage import prune_log

RECORDED = Path(__file__).parent / "recorded"
LOGS = sorted(path.stem for path in RECORDED.glob("*.txt"))
BUDGETS = (40, 80, 150, 300, 600, 1200, 3000)


def read(name):
    # Not read_text, which would turn CRLF into LF.
    return (RECORDED / f"{name}.txt").read_bytes().decode()


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_budget_holds_and_a_second_pass_changes_nothing(name, budget):
    text = read(name)
    kept = prune_log(text, max_tokens=budget)
    assert ullage.estimate(kept) <= budget
    assert prune_log(kept, max_tokens=budget) is kept
    if ullage.estimate(text) <= budget:
        assert kept is text
    else:
        assert "\x1b" not in kept


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_line_is_there_or_counted(name, budget):
    text = read(name)
    kept = prune_log(text, max_tokens=budget)
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", text)
    kept = re.sub(r"\x1b\[[0-9;]*[mK]", "", kept)
    shown = [line for line in kept.split("\n") if not re.fullmatch(r"\[\.\.\. truncated, \d+ lines.*\]", line)]
    missing = sum(int(count) for count in re.findall(r"^\[\.\.\. truncated, (\d+) lines", kept, re.MULTILINE))
    assert len(shown) + missing == plain.count("\n") + 1
    # What is shown is from the log, in its order; a long line may have lost its middle.
    lines = iter(plain.split("\n"))
    for line in shown:
        head, _, tail = line.partition("[... truncated, ")
        assert any(one.startswith(head) and one.endswith(tail.partition("]")[2]) for one in lines), line


# What must survive: log, budget, lines or parts of lines.
VERDICTS = [
    ("pytest-failures", 40, ["4 failed, 41 passed, 1 skipped, 1 error"]),
    ("pytest-verbose-colour", 40, ["4 failed, 41 passed, 1 skipped, 1 error"]),
    ("pytest-short", 40, ["4 failed, 41 passed, 1 skipped, 1 error in"]),
    ("pytest-many", 40, ["60 failed in"]),
    ("pytest-collection", 60, ["Interrupted: 1 error during collection", "1 error in"]),
    ("pytest-passed", 40, ["40 passed, 7 deselected in"]),
    ("pytest-native", 40, ["4 failed, 41 passed, 1 skipped, 1 error in"]),
    ("unittest-failures", 40, ["Ran 7 tests in", "FAILED (failures=5, errors=1, skipped=1)"]),
    ("unittest-many", 40, ["Ran 147 tests in", "FAILED (failures=45, errors=1, skipped=1)"]),
    ("cargo-test-failures", 60, ["test result: FAILED. 31 passed; 3 failed; 1 ignored", "error: test failed"]),
    ("cargo-test-many", 60, ["test result: FAILED. 0 passed; 60 failed", "error: test failed"]),
    ("cargo-test-build-error", 40, ["error: could not compile `shop` (lib test) due to 4 previous errors"]),
    ("rustc-errors", 40, ["error: aborting due to 2 previous errors; 50 warnings emitted"]),
    ("rustc-warnings", 40, ["warning: 76 warnings emitted"]),
    ("clang-errors", 40, ["1 warning and 5 errors generated."]),
    ("clang-warnings", 40, ["120 warnings and 1 error generated."]),
    ("gcc-link", 40, ["collect2: error: ld returned 1 exit status"]),
    ("make-errors", 60, ["make: *** [Makefile:3: shop.o] Error 1", "make: *** [Makefile:6: other.o] Error 3"]),
    ("go-test-failures", 40, ["FAIL"]),
    ("go-test-verbose", 40, ["FAIL"]),
    ("jest-failures", 60, ["Tests:       3 failed, 1 skipped, 31 passed, 35 total", "Test Suites: 2 failed"]),
    ("jest-many", 60, ["Tests:       60 failed, 60 total"]),
    ("jest-verbose-colour", 60, ["Tests:       3 failed, 1 skipped, 30 passed, 34 total"]),
    ("node-test-tap", 40, ["# tests 44", "# pass 41", "# fail 3"]),
    ("node-test-spec", 40, ["ℹ tests 44", "ℹ pass 41", "ℹ fail 3"]),
    ("npm-network", 40, ["npm error code ECONNREFUSED"]),
    ("npm-missing", 40, ['npm error Missing script: "missing"']),
    ("npm-json", 40, ["npm error code EJSONPARSE"]),
    ("npm-install-script", 40, ["npm error code 2"]),
    ("npm-lifecycle", 40, ["npm error code 2"]),
    ("tsc-pretty", 40, ["Found 5 errors in the same file, starting at: cart.ts:4"]),
]

PYTEST_NAMES = [
    f"tests/test_cart.py::{test}"
    for test in (
        "test_discount_rounds_down",
        "test_unknown_fruit",
        "test_report_text",
        "test_price_with_a_point",
        "test_saves",
    )
]
CART_PLACES = ["shop.c:10:12: error:", "shop.c:18:9: error:", "shop.c:18:19: error:", "shop.c:24:18: error:"]
TSC_PLACES = ["cart.ts(4,68)", "cart.ts(5,51)", "cart.ts(8,10)", "cart.ts(9,6)", "cart.ts(10,13)"]
NAMES = [
    ("pytest-failures", 150, PYTEST_NAMES),
    ("pytest-verbose-colour", 150, PYTEST_NAMES),
    ("pytest-short", 150, PYTEST_NAMES),
    ("pytest-collection", 80, ["tests/broken_import.py"]),
    ("pytest-native", 300, [name.partition("::")[2] for name in PYTEST_NAMES]),
    ("pytest-many", 1400, [f"test_no_discount_changes_nothing[{total}]" for total in range(0, 600, 10)]),
    (
        "unittest-failures",
        250,
        ["PriceTest.test_point", "CartTest.test_discount_rounds_down", "CartTest.test_lines_in_order", "(total=20)"],
    ),
    ("unittest-many", 1500, [f"test_no_discount_on_{total:03}" for total in range(0, 400, 10)]),
    (
        "cargo-test-failures",
        150,
        ["tests::not_enough", "tests::discount_rounds_down", "tests::unknown_fruit"],
    ),
    ("cargo-test-many", 700, [f"no_discount_on_{total:03}" for total in range(10, 610, 10)]),
    ("cargo-test-build-error", 120, ["error[E0433]", "error[E0425]", "error[E0277]", "error[E0308]"]),
    ("rustc-errors", 80, ["error[E0308]: mismatched types", "error[E0425]: cannot find function `missing`"]),
    ("gcc-errors", 200, CART_PLACES),
    ("gcc-colour", 200, CART_PLACES),
    ("gcc-warnings", 80, ["warn.c:61:36: error: ‘nothing’ undeclared"]),
    ("gcc-templates", 200, ["stl_algo.h:1938:50: error: no match", "stl_function.h:408:20: error: no match"]),
    ("gcc-link", 50, ["undefined reference to `missing'"]),
    ("clang-errors", 200, CART_PLACES),
    ("clang-warnings", 80, ["warn.c:61:36: error: use of undeclared identifier 'nothing'"]),
    (
        "go-test-failures",
        200,
        ["TestDiscountRoundsDown", "TestTable/total=370", "TestNilMap", "bad/bad.go:3:8", "example.com/shop/nilmap"],
    ),
    ("go-test-verbose", 150, ["TestDiscountRoundsDown", *(f"total={n}" for n in (50, 130, 210, 290, 370))]),
    ("go-test-panic", 60, ["--- FAIL: TestNilMap"]),
    ("jest-failures", 120, ["cart › keeps lines", "prices › discount rounds down", "Test suite failed to run"]),
    ("jest-verbose-colour", 150, ["cart › keeps lines", "prices › discount rounds down"]),
    ("jest-many", 800, [f"● no discount on {total}" for total in range(0, 600, 10)]),
    ("node-test-tap", 80, ["not ok 41 - discount rounds down", "not ok 2 - point", "not ok 42 - prices"]),
    ("node-test-spec", 100, ["✖ discount rounds down", "✖ point", "✖ prices"]),
    ("tsc-errors", 130, TSC_PLACES),
    ("tsc-pretty", 165, ["cart.ts:4:68", "cart.ts:5:51", "cart.ts:8:10", "cart.ts:9:6", "cart.ts:10:13"]),
    ("tsc-many", 2000, [*TSC_PLACES, *(f"'price{n}'" for n in range(90))]),
]

DETAILS = [
    ("pytest-failures", 350, ["E       assert 121 == 122", "E   KeyError: 'durian'"]),
    (
        "pytest-failures",
        600,
        [">       assert reduced == 122", "tests/test_cart.py:38: AssertionError", "E         - plum: 0"],
    ),
    ("pytest-collection", 200, ["ImportError: cannot import name 'Basket' from 'shop'"]),
    ("pytest-native", 900, ["KeyError: 'durian'", "ConnectionError: no database on port 5432"]),
    ("unittest-failures", 350, ["AssertionError: 121 != 122", "ValueError: not enough values to unpack"]),
    ("unittest-failures", 550, ['test_shop_unittest.py", line 13', "- ['pear', 'apple', 'plum']"]),
    (
        "cargo-test-failures",
        300,
        [
            "panicked at src/lib.rs:36:9",
            "left: 121",
            "right: 122",
            "no entry found for key",
            'Error: "only 3 apples left"',
        ],
    ),
    ("cargo-test-build-error", 250, ["--> src/lib.rs:21:5", '21 |     log::info!("x");']),
    ("rustc-errors", 150, ["--> warn.rs:31:18", 'let n: u32 = "three";']),
    ("gcc-errors", 350, ["10 |     return summ;", "18 |     cart.count = 3"]),
    ("clang-errors", 350, ["    return summ;"]),
    (
        "go-test-failures",
        350,
        ["shop_test.go:18: Discount(135, 10) = 121, want 122", "panic: assignment to entry in nil map"],
    ),
    ("go-test-verbose", 300, ["shop_test.go:27: Discount(50, 0) = 49, want 50", "Discount(370, 0) = 369, want 370"]),
    ("go-test-panic", 150, ["panic: assignment to entry in nil map", "/home/dev/shop/shop.go:9 +0xc5"]),
    (
        "jest-failures",
        350,
        [
            "Expected: 122",
            "Received: 121",
            "> 16 |     expect(discount(135, 10)).toBe(122);",
            "Cannot find module './nowhere'",
        ],
    ),
    ("node-test-tap", 200, ["error: '121 == 122'", "location: '/home/dev/shop/node.mjs:5:1'"]),
    ("node-test-spec", 200, ["AssertionError [ERR_ASSERTION]: 121 == 122"]),
    ("npm-network", 100, ["FetchError: request to http://127.0.0.1:9/left-pad failed"]),
    (
        "npm-script",
        120,
        ["TypeError: Cannot read properties of undefined (reading 'entry')", "/home/dev/shop/build.js:2"],
    ),
    ("npm-install-script", 120, ["npm error command failed", "npm error fatal: no compiler found"]),
    ("npm-lifecycle", 120, ["fatal: no compiler found"]),
    ("make-errors", 500, ["other.c: cannot find codec", "shop.c:10:12: error:"]),
]


@pytest.mark.parametrize(("name", "budget", "expected"), VERDICTS + NAMES + DETAILS)
@pytest.mark.parametrize("more", [1, 2, 5])
def test_what_must_survive(name, budget, expected, more):
    kept = re.sub(r"\x1b\[[0-9;]*[mK]", "", prune_log(read(name), max_tokens=budget * more))
    assert [one for one in expected if one not in kept] == []


@pytest.mark.parametrize(
    ("name", "names", "failures"),
    [
        ("pytest-many", r"^FAILED tests/", 60),
        ("cargo-test-many", r"^test .* \.\.\. FAILED$", 60),
        ("jest-many", r"^  ● ", 60),
        ("unittest-many", r"^(?:FAIL|ERROR): ", 46),
        ("tsc-many", r"error TS\d+: ", 95),
    ],
)
@pytest.mark.parametrize("budget", [80, 100, 200, 400])
def test_names_that_do_not_fit_are_counted(name, names, failures, budget):
    kept = prune_log(read(name), max_tokens=budget)
    shown = len(re.findall(names, kept, re.MULTILINE))
    counted = sum(int(count) for count in re.findall(r"lines, (\d+) failures\]", kept))
    assert shown + counted == failures
    assert 0 < shown < failures


@pytest.mark.parametrize("name", LOGS)
def test_line_ends_of_windows_make_no_difference(name):
    text = read(name)
    for budget in (80, 300):
        if ullage.estimate(text) > budget:
            assert prune_log(text.replace("\n", "\r\n"), max_tokens=budget) == prune_log(text, max_tokens=budget)


def test_a_log_inside_other_output():
    text = "\n".join(f"pulling layer {n}" for n in range(500)) + "\n" + read("pytest-failures")
    text += "\n".join(f"uploading {n}" for n in range(500)) + "\nprocess exited with code 1"
    kept = prune_log(text, max_tokens=250)
    assert [name for name in PYTEST_NAMES if name not in kept] == []
    assert "4 failed, 41 passed, 1 skipped, 1 error" in kept
    assert "process exited with code 1" in kept
