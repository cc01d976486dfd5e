# A queue without spec.deserved borrows what is free, and its pods are the first that
# anybody who deserves room may have (seed 001 §5.1, immediate victims, and §11 Q1).

conf
  actions enqueue allocate reclaim
  tier priority gang conformance
  tier predicates capacity

node n1 cpu=4
queue paid  deserved=cpu:3
queue spare

submit x/spare-a queue=spare 1 x cpu=1
submit x/spare-b queue=spare 1 x cpu=1
submit x/spare-c queue=spare 1 x cpu=1
submit x/spare-d queue=spare 1 x cpu=1
cycle
----
bind x/spare-a-0 n1
bind x/spare-b-0 n1
bind x/spare-c-0 n1
bind x/spare-d-0 n1

submit y/paid queue=paid min=3 3 x cpu=1
cycle
----
evict x/spare-d-0 n1 for y/paid-0
evict x/spare-c-0 n1 for y/paid-0
evict x/spare-b-0 n1 for y/paid-0
nominate y/paid-0..2 n1
wait y/paid: Reserved: n1

cycle
----
bind y/paid-0..2 n1
wait x/spare-b: NoPods
wait x/spare-c: NoPods
wait x/spare-d: NoPods
