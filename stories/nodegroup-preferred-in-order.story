# The fixed pool first, then the one that costs extra, and only if need be the one that
# the queue would rather avoid: preferred groups count in the order in which they are
# written.

conf
  tier priority gang
  tier predicates proportion nodegroup(enablePreferredOrder=true)

node fixed cpu=2 label=volcano.sh/nodegroup-name:fixed
node extra cpu=2 label=volcano.sh/nodegroup-name:extra
node spare cpu=2 label=volcano.sh/nodegroup-name:spare
queue ml prefers=fixed,extra forbids=spare avoids=spare

submit x/one queue=ml 2 x cpu=1
cycle
----
bind x/one-0..1 fixed

submit x/two queue=ml 2 x cpu=1
cycle
----
bind x/two-0..1 extra

submit x/three queue=ml 2 x cpu=1
cycle
----
bind x/three-0..1 spare
