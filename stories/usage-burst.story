# A burst counts at once: of two namespaces that have used nothing, neither is served twice before the
# other is served once, within one cycle and whoever came first.

conf
  actions enqueue allocate
  tier    priority gang
  tier    fairshare predicates proportion nodeorder
node n1 cpu=4
queue ml

submit alice/a1 queue=ml 1 x cpu=1
submit alice/a2 queue=ml 1 x cpu=1
submit alice/a3 queue=ml 1 x cpu=1
submit alice/a4 queue=ml 1 x cpu=1
submit bob/b1 queue=ml 1 x cpu=1
submit bob/b2 queue=ml 1 x cpu=1
submit bob/b3 queue=ml 1 x cpu=1
cycle
----
bind alice/a1-0 n1
bind bob/b1-0 n1
bind alice/a2-0 n1
bind bob/b2-0 n1
wait alice/a3: QueueOverused ml: cpu 4 deserved, 4 held
wait alice/a4: QueueOverused ml: cpu 4 deserved, 4 held
wait bob/b3: QueueOverused ml: cpu 4 deserved, 4 held
