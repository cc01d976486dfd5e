# A queue below what it deserves waits, since jobs of another queue came first and hold the
# nodes: without reclaim among the actions no room is given back (seed 003 §8.2, cause 2, and
# §8.3, last branch).

node n1 cpu=8
queue early
queue late

submit ml/first queue=early min=1 8 x cpu=1
cycle
----
bind ml/first-0..7 n1

submit ml/second queue=late 2 x cpu=1
cycle
----
wait ml/second: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1

queues deserved allocated
----
queue  deserved  allocated
early  cpu=6     cpu=8
late   cpu=2     -
