"""Books (`.epub`): the chapters in reading order, each a page of HTML."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

from ingest.cleaning import clean
from ingest.loaders.base import LoadLimits, Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.container import open_container, read_entry
from ingest.loaders.encoding import decode
from ingest.loaders.html import convert, parse_html
from kb.errors import DocumentError

_NS = {
    "c": "urn:oasis:names:tc:opendocument:xmlns:container",
    "opf": "http://www.idpf.org/2007/opf",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html"})


class EpubLoader:
    """Reads `.epub`."""

    media_type = "application/epub+zip"

    def parse(self, source: SourceFile) -> Parsed:
        """Read all chapters of the spine."""
        with open_container(source.data, source.limits) as container:
            names = set(container.namelist())
            if _ENCRYPTION in names and _encrypts_text(container, source.limits):
                raise DocumentError("It is protected against copying (DRM).")
            root_path = _xml(container, "META-INF/container.xml", source.limits).xpath(
                "string(//c:rootfile/@full-path)", namespaces=_NS
            )
            package = _xml(container, root_path, source.limits)
            builder = TextBuilder()
            missing = 0
            for path in _chapters(package, root_path):
                if path not in names:
                    missing += 1
                    continue
                data = read_entry(container, path, source.limits.max_unpacked_bytes)
                if data.strip():
                    convert(parse_html(clean(_without_declaration(decode(data).text))), source.limits, builder)
                source.progress()
        title = " ".join(package.xpath("string(//dc:title)", namespaces=_NS).split())
        metadata = {
            key: value
            for key, name in (("author", "creator"), ("published", "date"), ("language", "language"))
            if (value := package.xpath(f"string(//dc:{name})", namespaces=_NS).strip())
        }
        notes = (f"{missing} chapter(s) are missing in the file",) if missing else ()
        return Parsed(builder.text, builder.blocks, title, "", metadata, notes)


def _xml(container: ZipFile, name: str, limits: LoadLimits) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(read_entry(container, name, limits.max_bytes), parser)


def _chapters(package: etree._Element, root_path: str) -> list[str]:
    """Paths of the chapters inside the container."""
    folder = posixpath.dirname(root_path)
    targets = {
        item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in package.iterfind("opf:manifest/opf:item", _NS)
        if item.get("media-type") in _CHAPTER_TYPES and "nav" not in item.get("properties", "").split()
    }
    spine = [item.get("idref") for item in package.iterfind("opf:spine/opf:itemref", _NS)]
    return list(dict.fromkeys(targets[name] for name in spine if name in targets))


def _encrypts_text(container: ZipFile, limits: LoadLimits) -> bool:
    """Whether more is encrypted than fonts, which honest books scramble."""
    root = _xml(container, _ENCRYPTION, limits)
    paths = [element.get("URI", "") for element in root.iter("{http://www.w3.org/2001/04/xmlenc#}CipherReference")]
    return any(path.lower().endswith((".xhtml", ".html", ".htm", ".xml", ".opf")) for path in paths)


def _without_declaration(text: str) -> str:
    """The HTML parser takes decoded text; a declared encoding would be a second opinion."""
    return text.split("?>", 1)[1] if text.lstrip().startswith("<?xml") and "?>" in text else text
