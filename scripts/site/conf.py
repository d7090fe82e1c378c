"""Configuration of Sphinx for the site; ``make docs`` copies the pages that it reads."""

from pygments.lexers import YamlLexer
from sphinx.application import Sphinx

from orchestrator import __version__

project = "Ciphermark"
version = release = __version__
extensions = ["myst_nb"]
root_doc = "README"
html_theme = "furo"
html_title = f"Ciphermark {__version__}"
html_show_copyright = False
html_copy_source = False
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True
exclude_patterns = ["_build"]


def setup(app: Sphinx) -> None:
    """Name the language of workflows, whose blocks are no plans."""
    app.add_lexer("yml", YamlLexer)
