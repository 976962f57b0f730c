"""The pages of the spine, one module per kind; features have more."""

from redouble.web.pages import home, install, me, rules, table, tutorial

ROUTERS = (
    table.router,  # what is asked for most often comes first: addresses are compared in order
    home.router,
    install.router,
    me.router,
    rules.router,
    tutorial.router,
)
