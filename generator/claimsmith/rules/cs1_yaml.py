"""YAML that cannot be read, or that readers could take for different things."""

from collections.abc import Mapping

from claimsmith.findings import Consequence, Rule, Severity, register


class _Refused(Rule):
    """What claimsmith refuses to read."""

    severity = Severity.ERROR
    consequence = Consequence.INVALID


_IN_WORDS = {
    "mapping values are not allowed in this context": (
        "a `:` is not expected here",
        "quote the value if it contains `: `, or indent this line like the key above it",
    ),
    "could not find expected ':'": (
        "a key has no `:` after it",
        "write `key: value`, with a space after the `:`",
    ),
    "found character that cannot start any token": (
        "a value cannot start with this character",
        "quote the value",
    ),
    "block sequence entries are not allowed in this context": (
        "a list item is not expected here",
        "start the list on a line of its own, below its key",
    ),
    "mapping keys are not allowed in this context": ("a key is not expected here", "check the indentation"),
    "found unexpected end of stream": (
        "the quote that opens here is never closed",
        "close it, with the same kind of quote",
    ),
    "found unexpected document indicator": (
        "the file goes on with a new document before a quote is closed",
        "close the quote",
    ),
    "found unknown escape character": (
        "this escape does not exist in a double-quoted string",
        "write `\\\\` for a backslash, or use single quotes",
    ),
    "found invalid Unicode character escape code": (
        "this escape is no character",
        "write a character beyond U+FFFF as `\\U` and eight digits",
    ),
    "did not find expected hexdecimal number": (
        "this escape needs hexadecimal digits",
        "write `\\x` and two digits, `\\u` and four, or `\\U` and eight",
    ),
    "did not find expected <document start>": (
        "the document has ended, yet more follows",
        "start another document with `---`, or check the indentation and the brackets above",
    ),
    "did not find expected key": (
        "the mapping from line {context_line} on expects a key here",
        "indent this line like the other keys, and check the quotes on the line above",
    ),
    "did not find expected '-' indicator": (
        "the list from line {context_line} on expects `- ` here",
        "indent this line like the other items, or further to belong to the one above",
    ),
    "did not find expected ',' or ']'": (
        "the list that `[` opens on line {context_line} expects `,` or `]` here",
        "add what is missing; quote values that contain `,`, `[` or `]`",
    ),
    "did not find expected ',' or '}'": (
        "the mapping that `{{` opens on line {context_line} expects `,` or `}}` here",
        "add what is missing; quote values that contain `,`, `{{` or `}}`",
    ),
    "did not find expected node content": (
        "a value is expected here",
        "write one, or remove the sign before it",
    ),
    "did not find expected comment or line break": (
        "only a comment may follow `|` or `>` on this line",
        "start the text on the next line",
    ),
    "found an indentation indicator equal to 0": (
        "the digit after `|` or `>` must be 1 to 9",
        "leave the digit out",
    ),
    "did not find expected alphabetic or numeric character": (
        "`&` and `*` start an anchor or an alias, which needs a name",
        "quote the value if it starts with `&` or `*`",
    ),
}


@register
class YamlSyntax(_Refused):
    id = "CS101"
    name = "yaml-syntax"
    message = "this is not YAML: {problem}"
    help = "check the indentation, the quotes and the brackets"
    why = (
        "Nothing after a syntax error can be read, so the rest of the file is not checked. "
        "The place named is where the reader gave up; the cause is there or shortly before it."
    )
    bad = "metadata: {name: vision\nspec: {}\n"
    good = "metadata: {name: vision}\nspec: {}\n"

    @classmethod
    def render_message(cls, data: Mapping[str, object]) -> str:
        words = _IN_WORDS.get(str(data["problem"]))
        problem = words[0].format_map(data) if words is not None else data["problem"]
        return cls.message.format_map({**data, "problem": problem})

    @classmethod
    def render_help(cls, data: Mapping[str, object]) -> str:
        words = _IN_WORDS.get(str(data["problem"]))
        return words[1].format_map(data) if words is not None else cls.help


@register
class DuplicateKey(_Refused):
    id = "CS102"
    name = "duplicate-key"
    message = "the key `{key}` is already on line {first_line}"
    help = "remove one of the two"
    why = (
        "Most readers silently keep one of the two values, some the first and some the last. "
        "A reviewer sees both and cannot know which one counts."
    )
    bad = "count: 4\ncount: 8\n"
    good = "count: 8\n"


@register
class AmbiguousScalar(_Refused):
    id = "CS103"
    name = "ambiguous-scalar"
    message = "`{text}` is {reading} to some YAML readers and not to others"
    help = 'write `"{text}"` if it is text'
    why = (
        "YAML 1.1, YAML 1.2 and Go's readers disagree about unquoted words such as `yes`, `n` and `~`, and "
        "about numbers such as `012`, `1_000`, `1e3` and `12:30`. kubectl, Argo CD, Flux and this tool could "
        "each take the same file for something else. Whole numbers, decimals such as `0.5`, `true`, `false` "
        "and `null` are safe."
    )
    bad = "region: no\nbuild: 1e3\n"
    good = 'region: "no"\nbuild: 1000\n'

    @classmethod
    def render_help(cls, data: Mapping[str, object]) -> str:
        meant = data["meant"]
        return super().render_help(data) + (f", or `{meant}` if it is not" if meant else "")


@register
class KeyNotText(_Refused):
    id = "CS104"
    name = "key-not-text"
    message = "this key is {kind}, and keys must be text"
    help = "write a word before the `:`, in double quotes if it looks like a number"
    why = "Kubernetes objects and JSON have string keys only; readers make strings of others in different ways."
    bad = "8080: http\n"
    good = '"8080": http\n'


@register
class MergeKey(_Refused):
    id = "CS105"
    name = "merge-key"
    message = "merge keys (`<<`) are not allowed"
    help = "write the fields out, or use an alias for the whole value"
    why = (
        "YAML 1.2 has no merge keys: some readers merge, others see a key named `<<`. "
        "A merged field also has no line of its own to review or to point at."
    )
    bad = "base: &base {count: 4}\nclaim:\n  <<: *base\n  name: trainer\n"
    good = "claim:\n  name: trainer\n  count: 4\n"


@register
class ExplicitTag(_Refused):
    id = "CS106"
    name = "explicit-tag"
    message = "tags such as `{tag}` are not allowed"
    help = "remove the tag; quote a value to make it text"
    why = "Tags ask the reader for types of its own, down to running code, and Kubernetes knows none of them."
    bad = "count: !!str 4\n"
    good = 'count: "4"\n'


@register
class Directive(_Refused):
    id = "CS107"
    name = "directive"
    message = "directives such as `%YAML` and `%TAG` are not allowed"
    help = "remove the line; quote a value that starts with `%`"
    why = "`%YAML 1.1` and `%YAML 1.2` change what values mean in some readers and nothing in others."
    bad = "%YAML 1.2\n---\ncount: 4\n"
    good = "---\ncount: 4\n"


@register
class UnknownAlias(_Refused):
    id = "CS108"
    name = "unknown-alias"
    message = "there is no anchor `&{name}` before the alias `*{name}`"
    help = "name an anchor of this document, or quote the value if it is text that starts with `*`"
    why = "An alias repeats a value marked earlier in the same document; documents share no anchors."
    bad = "prefer: *models\n"
    good = "all: &models [H100-80GB]\nprefer: *models\n"


@register
class RecursiveAlias(_Refused):
    id = "CS109"
    name = "recursive-alias"
    message = "the alias `*{name}` stands within its own anchor"
    help = "write the value out"
    why = "A value that contains itself has no end, and no JSON."
    bad = "prefer: &models [H100-80GB, *models]\n"
    good = "prefer: [H100-80GB]\n"


@register
class AliasExpansion(_Refused):
    id = "CS110"
    name = "alias-expansion"
    message = "with the alias `*{name}` the file has more than {limit} values"
    help = "write fewer aliases of aliases"
    why = "A few lines of aliases of aliases can stand for billions of values, and fill any reader's memory."


@register
class RepeatedAnchor(_Refused):
    id = "CS111"
    name = "repeated-anchor"
    message = "the anchor `&{name}` is already on line {first_line}"
    help = "give one of the two another name"
    why = "Some readers refuse a second anchor of one name, and people cannot tell which one an alias means."
    bad = "first: &a 1\nsecond: &a 2\nthird: *a\n"
    good = "first: &a 1\nsecond: &b 2\nthird: *a\n"


@register
class TabIndentation(_Refused):
    id = "CS112"
    name = "tab-indentation"
    message = "this line is indented with a tab"
    help = "use spaces"
    why = "YAML does not allow tabs as indentation, since editors show them in different widths."
    bad = "spec:\n\tcount: 4\n"
    good = "spec:\n  count: 4\n"


@register
class NotUtf8(_Refused):
    id = "CS113"
    name = "not-utf8"
    message = "the file is not UTF-8: the byte at offset {offset} is {byte}{guess}"
    help = "save the file as UTF-8"
    why = "Git, kubectl and browsers all expect UTF-8; from another encoding they show and read other text."


@register
class ForbiddenCharacter(_Refused):
    id = "CS114"
    name = "forbidden-character"
    message = "the character {character} is not allowed in YAML source"
    help = "remove it, or write it as an escape such as `\\u2028` in a double-quoted string"
    why = (
        "Control characters cannot be seen in review. Some readers begin a new line at U+0085, U+2028 and "
        "U+2029 and others do not, so they would even see different keys."
    )
    bad = "name: vision\u2028count: 4\n"
    good = 'name: "vision\\u2028count: 4"\n'


@register
class TooLarge(_Refused):
    id = "CS115"
    name = "too-large"
    message = "the file is larger than {limit}"
    help = "split it"
    why = "etcd holds objects of 1.5 MiB at most, and nobody reviews a file of this size."


@register
class TooDeep(_Refused):
    id = "CS116"
    name = "too-deep"
    message = "there are more than {limit} lists and mappings in one another"
    help = "check the brackets and the indentation above"
    why = "No document or Kubernetes object is nested that deep, and some readers crash on files that are."
    bad = "a: " + "[" * 70 + "]" * 70 + "\n"
    good = "a: [[[]]]\n"


@register
class TooManyValues(_Refused):
    id = "CS117"
    name = "too-many-values"
    message = "the file has more than {limit} values"
    help = "split it"
    why = "A file within the size limit can still be made of so many tiny values that reading takes too long."


@register
class EmptyFile(Rule):
    id = "CS118"
    name = "empty-file"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "the file has no documents"
    help = "remove the file, or look for what was lost"
    why = "An empty file is mostly one that a script or a merge has cut off. Whatever it was for is not there."
    bad = "# count: 4\n"
    good = "count: 4\n"
