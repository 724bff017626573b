from __future__ import annotations

from ingest.loaders.registry import load_bytes


def read(text):
    return load_bytes(text.encode(), "x.rst")


def shown(text):
    document = read(text)
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_sections_and_inline_markup():
    document = read(
        ":orphan:\n\n保养\n====\n\n柜号为 **C-17**，见 :ref:`登记 <reg>` 与 ``kestrelctl``，功耗 10\\ :sup:`3` W。\n\n"
        "Interval\n--------\n\n41 days [#a]_.\n\n.. [#a] since May\n"
    )
    assert document.title == "保养"
    assert document.text.startswith(
        "# 保养\n\n柜号为 C-17，见 登记 与 `kestrelctl`，功耗 10^3 W。\n\n## Interval\n\n41 days ."
    )
    assert document.blocks[-1].heading_path == ("保养", "Interval")
    assert "since May" in document.text


def test_tables_of_all_kinds():
    grid = """
+-------+-----------------+
| Card  | Speed           |
|       +--------+--------+
|       | dense  | sparse |
+=======+========+========+
| K100  | 1      | 2      |
|       +--------+--------+
|       | 3      | 4      |
+-------+--------+--------+
"""
    simple = "\n===== =====\nCard  W\n===== =====\nT4    70\n===== =====\n"
    listed = """
.. list-table:: Cabinets
   :header-rows: 1

   * - Card
     - Cabinet
   * - K100
     - C-17

       C-18
"""
    csv = '\n.. csv-table::\n   :header: "Card", "W"\n\n   "A2, new", 60\n'
    assert [text for kind, text in shown(grid + simple + listed + csv) if kind == "table"] == [
        "| Card | Speed / dense | Speed / sparse |\n|---|---|---|\n| K100 | 1 | 2 |\n| K100 | 3 | 4 |",
        "| Card | W |\n|---|---|\n| T4 | 70 |",
        "| Card | Cabinet |\n|---|---|\n| K100 | C-17; C-18 |",
        "| Card | W |\n|---|---|\n| A2, new | 60 |",
    ]
    assert [block.caption for block in read(listed).blocks if block.kind == "table"] == ["Cabinets"]


def test_directives_of_sphinx_and_of_nobody():
    found = shown(
        """
.. tab-set::

   .. tab-item:: Linux
      :sync: a

      Run ``probe``.

.. note:: Not on Tuesdays.

.. code-block:: bash
   :linenos:

   kestrelctl probe \\
     --all

.. frobnicate:: The title
   :option: x

   What it holds.

.. toctree::
   :maxdepth: 2

   other

.. versionadded:: 1.2
   The probe.

.. |sub| replace:: C-17

Cabinet |sub| and :unknown:role:`text <target>`.
"""
    )
    assert found == [
        ("paragraph", "**Linux**"),
        ("paragraph", "Run `probe`."),
        ("paragraph", "**Note**"),
        ("paragraph", "Not on Tuesdays."),
        ("code", "```bash\nkestrelctl probe \\\n  --all\n```"),
        ("paragraph", "**The title**"),
        ("paragraph", "What it holds."),
        ("paragraph", "**Added in version 1.2**"),
        ("paragraph", "The probe."),
        ("paragraph", "Cabinet C-17 and text."),
    ]


def test_markup_for_one_output_only_is_not_shown():
    found = shown(
        ".. raw:: html\n\n   <br/>\n\n.. |br| raw:: html\n\n   <br/>\n\n"
        ".. list-table::\n   :header-rows: 1\n\n   * - Card\n     - OS\n   * - K100\n     - A |br| B\n   * -\n     -\n"
    )
    assert found == [("table", "| Card | OS |\n|---|---|\n| K100 | A B |")]


def test_lists_with_code_and_lists_without():
    found = shown(
        "- a\n\n  - b\n\n- c\n\n1. Run::\n\n     probe\n\n2. Wait\n\nterm\n  what it means\n\n:field: value\n"
    )
    assert found == [
        ("list", "- a\n  - b\n- c"),
        ("list", "1. Run:"),
        ("code", "```\nprobe\n```"),
        ("list", "2. Wait"),
        ("list", "- term: what it means"),
        ("list", "- field: value"),
    ]


def test_other_files_are_not_read_and_that_is_told(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("password")
    document = read(
        f"Words.\n\n.. include:: {secret}\n\n.. literalinclude:: {secret}\n\n"
        f".. csv-table::\n   :file: {secret}\n\n.. raw:: html\n   :file: {secret}\n"
    )
    assert "password" not in document.text
    assert document.warnings == ("4 part(s) that it includes stand in other files and are left out",)


def test_a_table_with_a_slip_is_kept_as_it_stands():
    broken = "=== ===\nCard W\n=== ===\nT4 too long for it\n=== ===\n"
    assert "T4 too long for it" in read(f"Words.\n\n{broken}").text


def test_documents_do_not_change_each_other():
    read(".. default-role:: math\n\nWords `x`.\n")
    assert read("Words `shown`.").text == "Words shown."
