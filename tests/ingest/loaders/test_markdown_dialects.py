from __future__ import annotations

from ingest.loaders.registry import load_bytes


def text_of(source):
    return load_bytes(source.encode(), "doc.md").text


def kinds(source):
    return [block.kind for block in load_bytes(source.encode(), "doc.md").blocks]


def test_an_html_table_becomes_a_pipe_table_also_across_blank_lines():
    source = """# T

<table>
  <tr><th>Card</th><th colspan="2">Speed</th></tr>

  <tr><td rowspan="2">K1</td><td>1</td><td>2</td></tr>
  <tr><td>3</td><td>4<br>5 GB</td></tr>

</table>

after
"""
    assert "| Card | Speed | Speed |\n|---|---|---|\n| K1 | 1 | 2 |\n| K1 | 3 | 4; 5 GB |\n" in text_of(source)
    assert kinds(source) == ["heading", "table", "paragraph"]


def test_a_list_table_becomes_a_pipe_table_with_its_title():
    source = """```{list-table} Peak figures.
:header-rows: 1
:name: x

* - Type
  - Rate
* - FP8
  - 10
    or more
*
  - FP4
  -
```
"""
    assert "Peak figures.\n\n| Type | Rate |\n|---|---|\n| FP8 | 10 or more |\n| FP4 |  |" in text_of(source)


def test_a_csv_table_and_a_figure():
    source = "```{csv-table} Cards\nname,watt\nK1,5\n```\n\n```{figure} a.png\n---\nname: n\n---\nThe caption.\n```\n"
    assert "| name | watt |\n|---|---|\n| K1 | 5 |" in text_of(source)
    assert "The caption." in text_of(source)
    assert "a.png" not in text_of(source)


def test_notes_become_prose_and_code_directives_stay_code():
    source = "```{note}\nMind the fan.\n```\n\n```{code-block} bash\n# not a heading\n```\n"
    assert "**Note**\n\nMind the fan." in text_of(source)
    assert kinds(source) == ["paragraph", "paragraph", "code"]


def test_mkdocs_admonitions_and_tabs_are_no_code():
    source = """!!! tip "Why?"

    Because.

    !!! note

        Deeper.

        ```
            # code
        ```

=== "Ubuntu"

    apt install x

??? "Click here"

    hidden

after
"""
    text = text_of(source)
    assert "**Why?**" in text
    assert "\nBecause." in text
    assert "\nDeeper." in text
    assert "\n    # code\n" in text
    assert "**Ubuntu**" in text
    assert "\napt install x" in text
    assert "**Click here**" in text
    assert "\nhidden" in text
    assert kinds(source).count("code") == 1


def test_colon_fences_and_targets_vanish():
    text = text_of("(anchor)=\n# T\n\n:::{warning}\nHot.\n:::\n\n:::tip Remember\nCold.\n:::\n")
    assert "Hot." in text
    assert "**Remember**" in text
    assert ":::" not in text
    assert "anchor" not in text


def test_inline_html_goes_and_code_stays():
    source = "Size 10<sup>-9</sup> m, <b>bold</b> <!-- x --> `a<b>` &lt;tag&gt; &nbsp;&times; <name> {ref}`Text <t>`\n"
    assert text_of(source) == "Size 10^-9 m, bold  `a<b>` &lt;tag>  × <name> Text\n"


def test_breaks_in_cells():
    source = "| Lane<br>(GB/s) | b |\n|---|---|\n| 1 TB<br>2 TB | x |\n\none<br>two\n"
    text = text_of(source)
    assert "| Lane (GB/s) | b |" in text
    assert "| 1 TB; 2 TB | x |" in text
    assert "one two" in text


def test_html_headings_and_details():
    source = '<h1 align="center">Tool</h1>\n\n<details>\n<summary>More</summary>\n\ninside\n\n</details>\n'
    document = load_bytes(source.encode(), "doc.md")
    assert document.title == "Tool"
    assert [document.text[b.start : b.end] for b in document.blocks][-2:] == ["More", "inside"]


def test_lines_that_only_look_like_admonitions_keep_all_their_words():
    source = "!!! Wow what a card\n\n=== Results of the test\n\n??? why is that\n"
    assert text_of(source) == source
