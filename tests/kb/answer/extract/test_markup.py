import pytest

from kb.answer.extract.markup import plain


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("- **Occupancy** is *not* all", "Occupancy is not all"),
        ('看 [驱动版本](https://example.org/a_(b).html "t") 一节', "看 驱动版本 一节"),
        ("![图](x.png)文字", "文字"),
        ("see [the guide][1] and <https://example.org>", "see the guide and https://example.org"),
        ("as measured [12], and by others[3].", "as measured, and by others."),
        ("a[0] and `x[1]` stay", "a[0] and `x[1]` stay"),
        ("it is 233 W [1][12]. See [2] too", "it is 233 W. See too"),
        ("柜号是 C-17[42]，周期为 41 天[1][2]。", "柜号是 C-17，周期为 41 天。"),
        (r"escaped \[3\], as HTML &#91;4&#93;, as a link [[5]](#cite-5)", "escaped, as HTML, as a link"),
        (":doc:`rocJPEG <rocjpeg:index>` and ``nvidia-smi``", "rocJPEG and `nvidia-smi`"),
        ("`Guide <https://example.org>`_ of AMD", "Guide of AMD"),
        ("> [!NOTE] Time-slicing and MPS", "Time-slicing and MPS"),
        ("## 3. Install", "3. Install"),
        ("1. first step", "first step"),
        ("3.5 TB/s is no list item", "3.5 TB/s is no list item"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("CUDA_VISIBLE_DEVICES and __syncwarp in `__code__`", "CUDA_VISIBLE_DEVICES and syncwarp in `__code__`"),
        ("a <b>bold</b> &amp; x", "a bold & x"),
        (r"8\*8 \[x\]", "8*8 [x]"),
        (r"$\text{hours} \times \lceil n \times \frac{8}{64} \rceil$ 元", "hours × ⌈ n × 8/64 ⌉ 元"),
    ],
)
def test_words_without_markup(source, shown):
    assert plain(source) == shown


def test_half_of_a_bold_phrase_leaves_no_mark():
    assert plain("**误解二：推理卡里有一颗专用引擎。") == "误解二：推理卡里有一颗专用引擎。"
