# A node that dies takes its pods with it, and what owns them makes new ones, which start
# elsewhere. None of the gang is left, so it is admitted again: it holds nothing.

node n1 cpu=2
queue web

submit web/shop queue=web min=2 2 x cpu=1 owned
cycle
----
bind web/shop-0..1 n1

cycle phases
----
phase web/shop Running

node n2 cpu=4
remove node n1
run phases
----
3s    bind web/shop-0..1 n2
3s    phase web/shop Inqueue
4s    phase web/shop Running

jobs phase tasks
----
job       phase    tasks
web/shop  Running  2 Running
