"""`Words`: all that `resolve` knows of a language, as data. Another language is another value; no code knows either.

Write them with or without accents: they are compared without. ``replace(Words.SPANISH, verbs=Words.SPANISH.verbs |
{"grafica"})`` adds a word.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

from ullage.turns.fold import fold, tokens, written

_BY_WORD = ("ordinals", "numbers", "outputs", "clitics")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words by which a language points at what was said before.

    Attributes:
        language: its name.
        articles: what stands before an ordinal: "the".
        demonstratives: what stands before a noun that was shown: "those".
        ordinals: the place that each means, from 1; from the end, -1 is the last.
        edges: ordinals that are one only with a number or a noun: "the top two", but not "the top".
        suffixes: what makes a number in digits an ordinal: "3rd".
        numbers: how many each means.
        counters: what stands before a number that is a place: "number 3", "row 3".
        nouns: what may stand for anything that was shown: "one", "results".
        outputs: words for a kind of output, with the kind as `TurnMemory.output` has it; empty for any kind.
        many: among all these, those for several things: "ones", "results".
        singular: pronouns for a result as a whole: "it".
        one: pronouns for one of several things.
        plural: pronouns for several things: "them".
        alone: pronouns that are a reference where they are all of the phrase.
        verbs: what is asked to be done, in the forms that a pronoun follows: "show", "sort".
        datives: what may stand between the two: "show me that".
        prepositions: what may stand there as well: "compare with that".
        clitics: pronouns written at the end of the verb, and whether they stand for several things.
        auxiliaries: words of asking, which may stand before what is to be done: "could you", "me lo puedes mostrar".
        of: "of", as in "all of them".
        quantifiers: "all", as in "all of them".
        joins: what joins two ordinals: "and".
        after: words that may follow a reference; any other, and it is something else ("the first time").
        linking: verbs that may follow an ordinal as well: "the first is".
        relatives: words that go on to describe: "the first one that is open" is not the first that was shown.
        exclusions: words that turn a reference round: "all but the last".
        idioms: phrases that only look like references.
        homographs: words that are none of these, but for their accents: "está". They are compared with them.
        fillers: words around a phrase that is nothing but a reference: "please".

    Raises:
        TypeError: when a set of words is a single str, or holds something else than words; when ordinals, numbers,
            outputs or clitics are no dict.
    """

    language: str
    articles: frozenset[str] = frozenset()
    demonstratives: frozenset[str] = frozenset()
    ordinals: Mapping[str, int] = field(default_factory=dict)
    edges: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()
    numbers: Mapping[str, int] = field(default_factory=dict)
    counters: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    outputs: Mapping[str, str] = field(default_factory=dict)
    many: frozenset[str] = frozenset()
    singular: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset()
    plural: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    datives: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    clitics: Mapping[str, bool] = field(default_factory=dict)
    auxiliaries: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    quantifiers: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    linking: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    exclusions: frozenset[str] = frozenset()
    idioms: tuple[tuple[str, ...], ...] = ()
    homographs: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()

    ENGLISH: ClassVar["Words"]
    SPANISH: ClassVar["Words"]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "language":
                continue
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise TypeError(f"{each.name} must be several words, not {type(value).__name__}")
            if each.name in _BY_WORD and not isinstance(value, Mapping):
                raise TypeError(f"{each.name} must be a dict by word, not {type(value).__name__}")
            value = value if isinstance(value, Mapping) else tuple(value)
            for word in value:
                if each.name != "idioms" and not isinstance(word, str):
                    raise TypeError(f"{each.name} must be words, and {word!r} is not str")
            folded: object
            if each.name == "idioms":
                phrases = (phrase if isinstance(phrase, str) else " ".join(phrase) for phrase in value)
                folded = tuple(sorted(map(tokens, phrases), key=len, reverse=True))
            elif isinstance(value, Mapping):
                folded = {fold(word): meaning for word, meaning in value.items()}
            else:
                folded = frozenset(map(written if each.name == "homographs" else fold, value))
            object.__setattr__(self, each.name, folded)

    @property
    def functional(self) -> frozenset[str]:
        """Words that mean too little to be the name of something."""
        return frozenset().union(
            *(self.articles, self.demonstratives, self.ordinals, self.numbers, self.nouns, self.singular, self.one),
            *(self.plural, self.prepositions),
            *(self.datives, self.of, self.joins, self.after, self.linking, self.exclusions, self.fillers),
        )


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _places(words: str, first: int = 1) -> dict[str, int]:
    """The words of each place; places are apart by commas."""
    groups = enumerate(words.split(","), first)
    return {word: place for place, group in groups for word in group.split()}


def _idioms(phrases: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tokens(phrase) for phrase in phrases)


Words.ENGLISH = Words(
    language="English",
    articles=_set("the"),
    demonstratives=_set("that this those these"),
    ordinals={
        **_places("first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth"),
        "top": 1,
        "last": -1,
        "bottom": -1,
        "penultimate": -2,
    },
    edges=_set("top bottom"),
    suffixes=_set("st nd rd th"),
    numbers={**_places("one, two, three, four, five, six, seven, eight, nine, ten"), "both": 2},
    counters=_set("number num row item entry option result choice"),
    nouns=_set("one ones result results item items row rows entry entries option options choice choices"),
    outputs={
        **dict.fromkeys(("list", "ranking"), "list"),
        "table": "table",
        **dict.fromkeys(("chart", "graph", "plot", "picture", "figure"), "chart"),
        "result": "",
    },
    many=_set("those these both ones results items rows entries options choices"),
    singular=_set("it that this"),
    plural=_set("them those these both"),
    alone=_set("that this those these both"),
    verbs=_set(
        "show open list sort order rank group filter compare cross plot chart draw graph explain describe summarise "
        "summarize expand break split export save send share download print delete remove hide keep drop add merge "
        "join combine use take pick choose select get give fetch load refresh rerun repeat check verify translate read "
        "edit change rename copy move view display convert total sum average count round limit narrow detail"
    ),
    datives=_set("me us"),
    prepositions=_set("with by to on in from of for"),
    auxiliaries=_set(
        "can could would will shall should may might you we i i'd i'll want need like to let lets let's try help go do "
        "did does"
    ),
    of=_set("of"),
    quantifiers=_set("all each many which both some any one most none few several half"),
    joins=_set("and or"),
    after=_set(
        "by with without against to into in on at as for from per over across until since than like and or but again "
        "too also instead please now today then only up down out off apart about above below alone together next "
        "versus vs if when so all"
    ),
    linking=_set("is are was were has have had does do did costs looks seems"),
    relatives=_set("that which who whose where i you he she we they"),
    exclusions=_set("not except without but excluding besides never don't dont"),
    idioms=_idioms(
        (
            *("at first", "first of all", "first off", "at last", "the last straw", "for the first time"),
            *("the first place", "that one time", "that one day", "one of these days", "at the last", "at the first"),
            *("that is all", "that's all", "that's it", "this is it", "that is it", "all of this", "both of us"),
            *(
                "both of you",
                "get it",
                "got it",
                "drop it",
                "keep it up",
                "keep it simple",
                "take it easy",
                "give it a try",
                "use it or lose it",
                "call it a day",
            ),
            *(
                f"{place} {tail}"
                for place in ("second", "third", "fourth", "second one", "third one", "fourth one")
                for tail in ("to last", "to the last", "from last", "from the last", "from the end", "from the bottom")
            ),
            *(
                "next to last",
                "last but one",
                "by the second",
                "to the second",
                "on the second",
                "the very first",
                "the first of all",
            ),
        )
    ),
    fillers=_set("please ok okay and but so now yes no just only what how about then also instead again thanks next"),
)

_IMPERATIVES = (
    # Of tú and vos (the same without accents), of usted, the infinitive.
    "muestra muestre mostrar mostra ensena ensene ensenar abre abra abrir lista liste listar ordena ordene ordenar "
    "agrupa agrupe agrupar filtra filtre filtrar compara compare comparar cruza cruce cruzar grafica grafique graficar "
    "dibuja dibuje dibujar explica explique explicar describe describa describir resume resuma resumir amplia amplie "
    "ampliar desglosa desglose desglosar divide divida dividir separa separe separar exporta exporte exportar guarda "
    "guarde guardar envia envie enviar manda mande mandar comparte comparta compartir descarga descargue descargar "
    "imprime imprima imprimir borra borre borrar elimina elimine eliminar quita quite quitar oculta oculte ocultar "
    "suma sume sumar anade anada anadir agrega agregue agregar une unir junta junte juntar combina combine "
    "combinar usa use usar elige elija elegir selecciona seleccione seleccionar escoge escoja escoger trae traiga "
    "traer carga cargue cargar actualiza actualice actualizar repite repita repetir revisa revise revisar comprueba "
    "compruebe comprobar verifica verifique verificar traduce traduzca traducir lee lea leer edita edite editar cambia "
    "cambie cambiar renombra renombre renombrar copia copie copiar mueve mueva mover convierte convierta convertir "
    "promedia promedie promediar cuenta cuente contar redondea redondee redondear limita limite limitar detalla "
    "detalle detallar analiza analice analizar calcula calcule calcular pon ponga poner pasa pase pasar da dar "
    "dime diga decir ver"
)
Words.SPANISH = Words(
    language="Spanish",
    articles=_set("el la los las del al"),
    demonstratives=_set("ese esa esos esas este esta estos estas aquel aquella aquellos aquellas"),
    ordinals={
        **_places(
            "primero primera primer primeros primeras, segundo segunda segundos segundas, "
            "tercero tercera tercer terceros terceras, cuarto cuarta cuartos cuartas, quinto quinta, sexto sexta, "
            "séptimo séptima, octavo octava, noveno novena, décimo décima"
        ),
        **dict.fromkeys(("último", "última", "últimos", "últimas"), -1),
        **dict.fromkeys(("penúltimo", "penúltima"), -2),
    },
    suffixes=_set("o a os as er ero era ro ra do da to ta"),
    numbers={
        **_places("uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez"),
        "una": 1,
        "ambos": 2,
        "ambas": 2,
    },
    counters=_set("número num fila elemento opción resultado entrada"),
    nouns=_set(
        "resultado resultados elemento elementos fila filas entrada entradas opción opciones alternativa alternativas"
    ),
    outputs={
        **dict.fromkeys(("lista", "listas", "listado", "ranking"), "list"),
        **dict.fromkeys(("tabla", "tablas"), "table"),
        **dict.fromkeys(("gráfico", "gráfica", "gráficos", "gráficas", "figura"), "chart"),
        "resultado": "",
    },
    many=_set(
        "los las esos esas estos estas aquellos aquellas primeros primeras segundos segundas terceros terceras cuartos "
        "cuartas últimos últimas resultados elementos filas entradas opciones alternativas ambos ambas"
    ),
    singular=_set("eso esto aquello"),
    one=_set("ese esa este esta aquel aquella"),
    plural=_set("esos esas estos estas aquellos aquellas ambos ambas ellos ellas"),
    # Not "esta", "este" and "estas": many write "está" and "estás" without accents, and "este" fills a pause.
    alone=_set("eso esto ese esa esos esas estos aquel aquella aquellos aquellas ambos ambas"),
    verbs=_set(_IMPERATIVES),
    datives=_set("me nos te se le"),
    prepositions=_set("a con de por en para"),
    clitics={"lo": False, "la": False, "los": True, "las": True},
    auxiliaries=_set(
        "puedes puede podrías podría quiero quieres quisiera querría necesito podemos vamos voy a hay que tienes "
        "muestras muestra enseñas enseña das da ordenas ordena"
    ),
    of=_set("de entre"),
    quantifiers=_set(
        "cuántos cuántas cuál cuáles todos todas uno una alguno alguna algunos algunas ninguno ninguna varios varias "
        "mitad"
    ),
    joins=_set("y e o u"),
    after=_set(
        "con por para en a al según contra desde hasta sin sobre frente como y e o u pero otra ahora hoy también más "
        "menos mejor solo sólo juntos juntas aparte entonces vs si cuando de del nuevo"
    ),
    linking=_set("es son era fue tiene tienen cuesta cuestan está están parece"),
    relatives=_set("que quien quienes cuyo cuya donde"),
    exclusions=_set("no menos salvo excepto sin ni nunca"),
    idioms=_idioms(
        (
            *("primero que nada", "antes que nada", "lo primero", "a la primera", "en primer lugar", "por primera vez"),
            *("la primera vez", "la última vez", "por última vez", "de segunda", "al segundo", "el primero de mayo"),
            *(
                "eso es todo",
                "eso es",
                "y eso",
                "eso sí",
                "eso no",
                "por eso",
                "y eso que",
                "de eso nada",
                "nada de eso",
            ),
            *("en eso", "para eso", "a eso de", "en esto", "por esto", "con eso basta", "a la última", "lo último"),
            *(
                f"{place} {tail}"
                for place in ("segundo", "segunda", "tercero", "tercera")
                for tail in ("por la cola", "por el final", "desde el final", "desde abajo", "empezando por el final")
            ),
            *("por lo último", "lo segundo", "a última hora", "la segunda guerra", "ni eso"),
        )
    ),
    homographs=_set("está esté estás estés él dé sé"),
    fillers=_set("por favor vale ok y pero entonces ahora sí no solo pues qué con luego después también gracias mejor"),
)
