# A refusal in the log says what refused: the queue with its amounts, or the nodes.
#
# big fits no node. wide would fit, but not while its queue deserves two CPUs. picky
# wants a disk that no node has.

node n1 cpu=4
queue small weight=1 capability=cpu:2
queue large weight=1

submit ml/big  queue=large 1 x cpu=8
submit ml/wide queue=small 1 x cpu=3
submit ml/picky queue=large 1 x cpu=1 selector=disk:ssd
cycle
----
wait ml/big: never PodTooLarge ml/big-0: cpu 8 asked, 4 there; QueueDeserved large: cpu 8 with it, 2 deserved
wait ml/picky: never NoNodeMatches ml/picky-0; NodeSelector: on n1
wait ml/wide: never QueueTooSmall small: cpu 3 asked, 2 there; QueueCapability small: cpu 3 with it, 2 may be

log 3
----
V3 Job <ml/big> enqueued into Queue <large>
V3 Job <ml/picky> enqueued into Queue <large>
V3 Job <ml/wide> enqueued into Queue <small>
V3 Try to allocate resource to 2 Queues
V3 There are <0> nodes for Job <ml/big>
V3 Allocating operations ...
V3 Queue <large>: deserved <cpu 2000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>; Candidate <ml/big-0>: resource request <cpu 8000.00, memory 0.00>
V3 Discarding operations ...
V3 There are <0> nodes for Job <ml/picky>
V3 Allocating operations ...
V3 Predicates failed for task <ml/picky-0>: the only node does not take it: it does not match its nodeSelector
V3 Discarding operations ...
V3 There are <1> nodes for Job <ml/wide>
V3 Allocating operations ...
V3 Queue <small>: deserved <cpu 2000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>; Candidate <ml/wide-0>: resource request <cpu 3000.00, memory 0.00>
V3 Discarding operations ...
