# A gang that an action completes is kept whole by the next one. Pod elastic-0 runs with a minimum of
# one; the minimum is raised to two, and a second pod comes that has room: it is bound since the two are
# a gang now. An urgent pod could have elastic-0's node. It gets it by evicting the gang whole, a cycle
# later, and not by taking elastic-0 alone in the cycle in which elastic-1 was bound to run with it.

conf
  actions enqueue allocate preempt
class high 10
node n1 cpu=1 label=kind:old
node n2 cpu=1
queue a

submit ml/elastic queue=a min=1 preemptable 1 x cpu=1 selector=kind:old
cycle
----
bind ml/elastic-0 n1

edit ml/elastic min=2
grow ml/elastic 1 x cpu=1
submit ml/urgent queue=a priority=high 1 x cpu=1 selector=kind:old
run
----
1s    bind ml/elastic-1 n2
2s    evict ml/elastic-0..1 n1 n2 for ml/urgent-0
2s    nominate ml/urgent-0 n1
3s    bind ml/urgent-0 n1
wait ml/elastic: NoPods
