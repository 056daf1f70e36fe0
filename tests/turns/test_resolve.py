"""What phrases point at, in tables of both languages, and what only looks as if it did."""

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import Entity, TurnMemory, Words, resolve

GIRONA, PALAMOS, ROSES, BLANES, LLANCA = SHOWN = (
    Entity("h7", "Girona", "harbour"),
    Entity("h2", "Palamós", "harbour"),
    Entity("h5", "Roses", "harbour"),
    Entity("h9", "Blanes", "harbour"),
    Entity("h1", "Llançà", "harbour"),
)
COAST = Entity("c1", "Costa Brava", "coast")
MEMORY = TurnMemory(3, "list", entities=(COAST,), visible=SHOWN, result_ids=("q19",))
PAIR = replace(MEMORY, visible=SHOWN[:2])
TABLE = TurnMemory(3, "table", visible=SHOWN[:1], result_ids=("q20",))

PLACES = {
    # English
    "the first one": "h7",
    "The FIRST one!": "h7",
    "the first": "h7",
    "first": "h7",
    "first one please": "h7",
    "show me the second": "h2",
    "what about the second one?": "h2",
    "and the third?": "h5",
    "the 3rd": "h5",
    "the 3rd one by month": "h5",
    "open the last one": "h1",
    "the last": "h1",
    "the penultimate one": "h9",
    "the last two": "h9 h1",
    "the last two results": "h9 h1",
    "last two": "h9 h1",
    "the two last": "h9 h1",
    "compare the first three with the cost": "h7 h2 h5",
    "the first 3": "h7 h2 h5",
    "the top 2": "h7 h2",
    "the top two harbours": "h7 h2",
    "the bottom one": "h1",
    "what is the price of option 3?": "h5",
    "and #2?": "h2",
    "compare the first and the third": "h7 h5",
    "compare the first and third": "h7 h5",
    "the second and fourth ones": "h2 h9",
    "row 4": "h9",
    "number 3": "h5",
    "option two": "h2",
    "open #2": "h2",
    "is the second cheaper than the first?": "h7",
    "the first is too far": "h7",
    "that first one": "h7",
    "the second harbour": "h2",
    "harbour 2": "h2",
    "no, the second one": "h2",
    "the last two of the list": "h9 h1",
    "the last two of them": "h9 h1",
    "the first, second and third": "h7 h2 h5",
    "the first and second and last": "h7 h2 h1",
    "the first two and the fourth": "h7 h2 h9",
    "the first, last I checked": "h7",
    "option 1 and 3": "h7 h5",
    "rows aside, row 1, 2 and 3": "h7 h2 h5",
    "#1 and #3": "h7 h5",
    "does the first one have a pool?": "h7",
    # Spanish
    "el primero": "h7",
    "¿El primero?": "h7",
    "EL PRIMERO": "h7",
    "primero": "h7",
    "la primera": "h7",
    "muéstrame el segundo": "h2",
    "¿y el tercero?": "h5",
    "el 2º": "h2",
    "el 2.º": "h2",
    "la 3ª": "h5",
    "el 3er": "h5",
    "abre el último": "h1",
    "abre el ultimo": "h1",
    "el penúltimo": "h9",
    "los dos últimos": "h9 h1",
    "los últimos dos": "h9 h1",
    "las últimas dos opciones": "h9 h1",
    "los 3 primeros": "h7 h2 h5",
    "los primeros 3 por coste": "h7 h2 h5",
    "compara el primero y el tercero": "h7 h5",
    "compara el primero con el último": "h7 h1",
    "la fila 4": "h9",
    "la fila tercera": "h5",
    "la opción 2": "h2",
    "la segunda opción": "h2",
    "el número 3": "h5",
    "el primero es muy caro": "h7",
    "no, el segundo": "h2",
    "dame más detalle del primero": "h7",
    "añade el coste al último": "h1",
    "el primero de la lista": "h7",
    "el primero de ellos": "h7",
    "el primero, segundo y tercero": "h7 h2 h5",
    "la fila 1 y 3": "h7 h5",
    "compara la opción 1 y la 3": "h7 h5",
}


def ids(phrase, memory=MEMORY, **options):
    found = resolve(phrase, memory, **options)
    assert (found.source == "memory") == bool(found.ids), found.why
    return " ".join(found.ids)


@pytest.mark.parametrize(("phrase", "expected"), PLACES.items())
def test_places(phrase, expected):
    found = resolve(phrase, MEMORY)
    assert (found.source, " ".join(found.ids)) == ("memory", expected), found.why
    assert found.entities == tuple(entity for id_ in expected.split() for entity in SHOWN if entity.id == id_)
    assert not found.named


WHOLE = (
    *("crúzalo con el coste", "crúzala con el coste", "Crucelo con el coste", "cruzarlo con el coste"),
    *("¿puedes cruzarlo con el coste?", "me lo puedes cruzar con el coste", "¿lo puedes cruzar con el coste?"),
    *("ordénalos", "ordénalas por precio", "ordenarlos por fecha", "muéstramelo", "muéstramelos", "muéstremelos"),
    *("enséñamela en un gráfico", "dámelo", "envíamelo por correo", "¿me los muestras?", "expórtalo a Excel"),
    *(
        "muestra eso",
        "muéstrame eso por mes",
        "compara eso con el año pasado",
        "explica eso",
        "eso",
        "¿y esos?",
        "esos",
    ),
    *("¿podrías ordenarlos?", "quiero verlo en una tabla", "y luego ordénalos", "no, ordénalos"),
    *("cuántos de ellos", "ordena esa lista", "esa lista, por precio", "este resultado", "explica este resultado"),
    *("ordena esos resultados", "esas filas"),
    *("show me that", "show me that by month", "sort it", "sort it by price", "sort them by price", "explain that"),
    *("compare it with the cost", "cross it with the cost", "export those to a file", "that", "those", "and these?"),
    *("what about those?", "all of them", "how many of them?", "sort that list", "that list by price", "this result"),
    *("could you sort them, please?", "so, which of these?", "I want to compare it with the cost"),
    *("those results", "those harbours", "plot these, please", "filter by that", "send it to me"),
    *("delete all of them", "show me all of them", "sort them all by price"),
)


@pytest.mark.parametrize("phrase", WHOLE)
def test_the_result_as_a_whole(phrase):
    found = resolve(phrase, MEMORY)
    several = found.signals[0].target == "all"
    expected = "h7 h2 h5 h9 h1" if "harbours" in phrase else "q19"
    assert (found.source, " ".join(found.ids)) == ("memory", expected), found.why
    assert found.entities == (SHOWN if several else (COAST,))


@pytest.mark.parametrize("phrase", ["both", "compare the two", "those two", "compara los dos", "ambos", "esas dos"])
def test_all_of_so_many(phrase):
    assert resolve(phrase, PAIR).entities == SHOWN[:2]
    wrong = resolve(phrase, MEMORY)
    assert (wrong.source, wrong.ids) == ("none", ())
    assert "it is 2, and 5 were shown" in wrong.why


@pytest.mark.parametrize("phrase", ["open that one", "that one", "muestra éste", "abre esa", "ese", "esa opción"])
def test_one_thing_is_meant_only_where_one_was_shown(phrase):
    assert resolve(phrase, TABLE).entities == (GIRONA,)
    assert resolve(phrase, TABLE).ids == ("h7",)
    assert "one of 5" in resolve(phrase, MEMORY).why


NOTHING = (
    *("¿está lista?", "Está lista la tabla", "no esté lista", "ESTA\u0301 LISTA", "la descarga está por aquí"),
    *("at the top", "the bottom", "top", "from the top-down", "the first-level pages", "see example #1"),
    *("red number 1", "shut down the server and delete it", "Apaga la máquina y bórrala"),
    *("an array of strings that lists the types", "think of both of us", "the shape of them"),
    *("the files in one of these folders", "count r of them", "that is great", "That's great!", "that's all"),
    *("that is all", "the first time I saw it", "at first", "first of all, thanks", "First, tell me the cost"),
    *("for the first time", "the first time", "in the last hour", "the last two weeks", "the first 5 minutes"),
    *("last month", "last two years", "give me a second", "wait a second", "in the first place"),
    *("I think that the price is wrong", "explain that the price is wrong", "it is raining", "show those sales"),
    *("is it true?", "the second world war", "this year", "compare that month with this one month", "I like that"),
    *("the one that got away", "third parties", "the top of", "number one reason", "the two weeks", "at the two"),
    *("I am fine with that", "that said, no", "good, thanks", "", "?", "...", "the"),
    *("of them there were many people", "some of those days", "see you at 3", "eso es todo", "Eso es todo."),
    *("eso es", "por eso", "y eso que no quería", "¿y eso?", "primero que nada", "primero, dime el coste"),
    *("la primera vez que vi esto", "por primera vez", "en primer lugar", "a la primera", "la última semana"),
    *("los últimos 3 meses", "los dos últimos años", "dame un segundo", "espera dos segundos", "está bien"),
    *("¿está listo?", "Está", "este...", "estás", "a las dos", "nos vemos a las tres", "la muestra de 2020"),
    *("los precios por mes", "lo primero es la salud", "la tabla de precios", "el malo", "un regalo"),
    *("qué tal la sala", "esa venta no", "me lo dijo Ana", "te lo explico luego", "los puertos del norte"),
    *("gracias", "la escala", "el segundo semestre", "el tercer trimestre de 2024", "ese puerto del norte"),
    *("el primero de mayo", "lo último", "the second to last", "the third one from the end", "second-to-last"),
    *(
        "the first one I visited",
        "the first one that is open",
        "la primera opción que visité",
        "el segundo por la cola",
    ),
    *("la 3", "la 1 y la 3", "el 2 nos vemos"),
    *("the last but one", "el segundo empezando por el final"),
)


@pytest.mark.parametrize("phrase", NOTHING)
def test_what_only_looks_like_a_reference(phrase):
    found = resolve(phrase, MEMORY)
    assert (found.source, found.entities, found.ids, found.signals) == ("none", (), (), ())
    assert "neither names" in found.why


@pytest.mark.parametrize("phrase", ["esa tabla", "show me that chart"])
def test_an_output_of_another_kind_is_not_meant(phrase):
    assert "the turn before gave a list, not a" in resolve(phrase, MEMORY).why
    assert resolve("esa tabla", TABLE).ids == ("q20",)


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("the sixth", "only 5 were shown"),
        ("the last 7", "only 5 were shown"),
        ("row 100", "only 5 were shown"),
        ("los primeros", "does not say how many"),
        ("the last ones", "does not say how many"),
        ("all but the last", "takes it away"),
        ("not the first one", "takes it away"),
        ("don't show me the first one", "takes it away"),
        ("todos menos el último", "takes it away"),
        ("no me muestres el primero", "takes it away"),
        ("todas salvo las dos últimas", "takes it away"),
        ("both of them except the last one", "takes it away"),
        ("not the first, not the second", "takes it away"),
    ],
)
def test_why_a_reference_means_nothing(phrase, why):
    found = resolve(phrase, MEMORY)
    assert (found.source, found.ids) == ("none", ())
    assert found.signals
    assert why in found.why


def test_what_is_left_when_the_phrase_takes_something_away():
    assert ids("the first but not the second") == "h7"
    assert ids("not that one, the second one") == "h2"
    assert ids("ese no, no el primero, el último") == "h1"


def test_what_is_named_wins_over_what_is_pointed_at():
    for phrase in ("el primero o Palamós", "PALAMÓS", "palamos", "compare it with Palamós", "not the first: palamos"):
        found = resolve(phrase, MEMORY)
        assert (found.source, found.entities, found.named) == ("phrase", (PALAMOS,), (PALAMOS,))


def test_what_the_caller_found_named_wins():
    cadiz = Entity("h30", "Cádiz", "harbour")
    found = resolve("the first one, and the big one in the south", MEMORY, named=[cadiz])
    assert (found.source, found.ids, [signal.words for signal in found.signals]) == (
        "phrase",
        ("h30",),
        ["the first one"],
    )
    assert resolve("Cádiz", None, named=(cadiz,)).ids == ("h30",)


def test_names_are_whole_words_in_any_order_and_the_longest_counts():
    memory = replace(MEMORY, entities=(Entity("a", "Costa"), COAST, Entity("b", "Brava Mar")))
    assert [entity.id for entity in resolve("blanes y la costa brava", memory).entities] == ["h9", "c1"]
    assert resolve("Costabrava", memory).source == "none"
    assert resolve("GIRONÁ", memory).ids == ("h7",)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("compare it with Girona's", "h7"),
        ("compare it with Girona’s beaches", "h7"),
        ("sort the Girona-Roses ferries, then show it", "h7 h5"),
        ("and d'Or?", "o"),
        ("what about O’Brien's?", "b"),
        ("東京の天気は", "t"),
        ("서울은 어때", "s"),
        ("compare it with 2024", "y"),
        ("what's that?", ""),
        ("sort it?", "q19"),
    ],
)
def test_names_are_found_with_what_is_written_on_to_them(phrase, expected):
    names = {"o": "d'Or", "b": "O'Brien", "t": "東京", "s": "서울", "y": "2024", "x": "?", "z": "S"}
    memory = replace(MEMORY, visible=(*SHOWN, *(Entity(id_, name) for id_, name in names.items())))
    for form in ("NFC", "NFD"):
        assert " ".join(resolve(unicodedata.normalize(form, phrase), memory).ids) == expected


def test_what_is_inside_a_longer_name_is_not_named():
    names = ("a b c", "b", "b c", "c d", "c", "a b c")
    memory = TurnMemory(0, "list", visible=tuple(Entity(str(at), name) for at, name in enumerate(names)))
    assert resolve("a b c d", memory).ids == ("0", "5", "3")
    assert resolve("c, b c, b", memory).ids == ("4", "2", "1")


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.lists(st.text("abcd", min_size=1, max_size=4), max_size=6))
def test_names_by_an_oracle(words, names):
    known = [Entity(str(at), " ".join(name)) for at, name in enumerate(names)]
    found = [
        (at, at + len(name), entity)
        for entity, name in zip(known, names, strict=True)
        for at in range(len(words))
        if words[at : at + len(name)] == list(name) and not set(name) <= {"a"}
    ]
    expected = [
        entity.id
        for start, stop, entity in sorted(found, key=lambda place: place[:2])
        if not any(a <= start and stop <= b and b - a > stop - start for a, b, _ in found)
    ]
    language = Words("made", articles={"a"})
    memory = TurnMemory(0, "list", visible=tuple(known))
    assert resolve(" ".join(words), memory, languages=[language]).ids == tuple(dict.fromkeys(expected))


def test_names_that_mean_too_little_are_not_looked_for():
    memory = replace(MEMORY, visible=(Entity("f1", "The First"), Entity("f2", "2"), Entity("f3", "One of these")))
    assert resolve("the first one", memory).source == "memory"
    assert ids("the first 2", memory) == "f1 f2"


def test_kinds_are_counted_by_themselves():
    memory = replace(MEMORY, visible=(COAST, *SHOWN))
    assert ids("the second harbour", memory) == "h2"
    assert ids("the last two harbours", memory) == "h9 h1"
    assert ids("the first", memory) == "c1"
    assert "only 1 were shown" in resolve("the second coast", memory).why
    assert ids("the second city", replace(memory, visible=tuple(Entity(x, x, "city") for x in ("ab", "bc")))) == "bc"
    assert ids("those cities", replace(memory, visible=tuple(Entity(x, x, "city") for x in ("ab", "bc")))) == "ab bc"


def test_only_the_turn_before_counts():
    assert ids("el primero", turn=4) == "h7"
    for turn in (3, 5, 100):
        found = resolve("el primero", MEMORY, turn=turn)
        assert (found.source, found.ids) == ("none", ())
        assert found.why == f"'el primero' points at turn {turn - 1}, and the memory is of turn 3"
    assert resolve("Girona", MEMORY, turn=9).source == "phrase"


def test_without_a_memory_the_signal_is_still_told():
    found = resolve("El primero", None)
    assert (found.source, found.memory, found.signals[0].words) == ("none", None, "el primero")
    assert "there is no memory of it" in found.why


def test_a_turn_that_showed_nothing():
    empty = TurnMemory(3, "text")
    assert "showed nothing" in resolve("sort it", empty).why
    assert "nothing was shown" in resolve("the first", empty).why
    assert ids("sort it", TurnMemory(3, "text", entities=(COAST,))) == "c1"


PHRASES = [*PLACES, *WHOLE, *NOTHING]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_way_of_writing_the_same_letters_is_the_same(form):
    for phrase in PHRASES:
        assert resolve(unicodedata.normalize(form, phrase), MEMORY) == resolve(phrase, MEMORY), phrase


@given(
    phrase=st.sampled_from(PHRASES),
    upper=st.booleans(),
    before=st.sampled_from(["", " ", "¡", "¿", "... ", "\t", "(", "— "]),
    after=st.sampled_from(["", " ", "!", "?", "...", "\n", ")", " 🙂"]),
)
def test_case_and_punctuation_around_a_phrase_change_nothing(phrase, upper, before, after):
    plain, other = resolve(phrase, MEMORY), resolve(before + (phrase.upper() if upper else phrase) + after, MEMORY)
    assert (other.source, other.ids, [s.words for s in other.signals]) == (
        *(plain.source, plain.ids),
        [s.words for s in plain.signals],
    )


@given(phrase=st.text(max_size=60) | st.lists(st.sampled_from(" ".join(PHRASES).split()), max_size=12).map(" ".join))
def test_any_text_is_resolved_the_same_twice_and_to_what_was_shown(phrase):
    found = resolve(phrase, MEMORY)
    assert found == resolve(phrase, MEMORY)
    assert set(found.entities) <= {COAST, *SHOWN}
    assert set(found.ids) <= {"q19", "c1", *(entity.id for entity in SHOWN)}
    assert (found.source == "none") == (not found.ids)
    assert not (found.named and found.source == "memory")


def test_another_language_is_data_alone():
    catalan = Words(
        language="Catalan",
        articles=frozenset({"el", "la", "els", "les"}),
        ordinals={"primer": 1, "segon": 2, "últim": -1, "últims": -1},
        numbers={"dos": 2},
        many=frozenset({"els", "últims"}),
        verbs=frozenset({"mostra", "creua"}),
        clitics={"'l": False, "'ls": True},
    )
    assert ids("el segon", languages=[catalan]) == "h2"
    assert ids("els dos ÚLTIMS", languages=[catalan]) == "h9 h1"
    assert ids("creua'l", languages=[catalan]) == "q19"
    assert resolve("the second", MEMORY, languages=[catalan]).source == "none"
    assert resolve("el segon", MEMORY).source == "none"
    more = replace(Words.SPANISH, verbs=Words.SPANISH.verbs | {"pídele"})
    assert resolve("pidele eso", MEMORY).source == "none"
    assert ids("pidele eso", languages=(more,)) == "q19"


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match="phrase must be str, not bytes"):
        resolve(b"that", MEMORY)
    with pytest.raises(TypeError, match="memory must be a TurnMemory or None, not dict"):
        resolve("that", MEMORY.to_dict())
    with pytest.raises(TypeError, match=r"named\[0\] must be an Entity, not str"):
        resolve("that", MEMORY, named=["Girona"])
    for options, sentence in (
        ({"named": None}, "named must be several Entity, not NoneType"),
        ({"named": SHOWN[0]}, "named must be several Entity, not Entity"),
        ({"named": "Girona"}, "named must be several Entity, not str"),
        ({"turn": True}, "turn must be int, not bool"),
        ({"turn": "4"}, "turn must be int, not str"),
        ({"turn": float("nan")}, "turn must be int, not float"),
        ({"languages": "en"}, "languages must be several Words, not str"),
        ({"languages": None}, "languages must be several Words, not NoneType"),
        ({"languages": Words.ENGLISH}, "languages must be several Words, not Words"),
        ({"languages": [Words.ENGLISH, "es"]}, r"languages\[1\] must be a Words, not str"),
    ):
        with pytest.raises(TypeError, match=sentence):
            resolve("that", MEMORY, **options)
    with pytest.raises(ValueError, match="turn is -1; it is at least 0"):
        resolve("that", MEMORY, turn=-1)
    assert ids("the first", named=iter(()), languages=iter([Words.ENGLISH])) == "h7"
    with pytest.raises(TypeError, match="verbs must be several words, not str"):
        replace(Words.ENGLISH, verbs="show")
    for change, sentence in (
        ({"verbs": None}, "verbs must be several words, not NoneType"),
        ({"verbs": [b"show"]}, "verbs must be words, and b'show' is not str"),
        ({"ordinals": ["first"]}, "ordinals must be a dict by word, not list"),
        ({"numbers": {1: 1}}, "numbers must be words, and 1 is not str"),
    ):
        with pytest.raises(TypeError, match=sentence):
            replace(Words.ENGLISH, **change)
    assert replace(Words.ENGLISH, verbs=(word for word in ("SHOW", "sort"))).verbs == {"show", "sort"}
