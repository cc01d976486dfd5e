# An invalid disruption budget harms nothing but itself.
#
# It is set aside and listed; the pods that it is about are placed as if it were not
# there, and the other budgets of the namespace hold.

node n1 cpu=4
queue web
budget web/odd selects=app:front min=2 fault=spec.minAvailable
budget web/all max=50% allowed=1 healthy=2 desired=1 expected=2

submit web/front queue=web 2 x cpu=1 label=app:front grace=10s
cycle
----
bind web/front-0..1 n1

problems
----
PodDisruptionBudget/web/odd: spec.minAvailable: the value makes no sense
