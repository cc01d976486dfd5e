# fairshare.resourceKey names the resource that counts, also for one queue alone. bob had all GPUs and alice had more
# CPU. Without a key, and by GPUs, alice would go first, and alice's job came first; by CPU bob does.

conf
  actions enqueue allocate
  tier    priority gang
  tier    fairshare(fairshare.resourceKey=nvidia.com/gpu,fairshare.resourceKey.ml=cpu) predicates proportion nodeorder
node n1 cpu=8 gpu=8
queue ml

submit alice/long queue=ml 1 x cpu=4 for=8h
submit bob/long queue=ml 1 x cpu=1,gpu=8 for=8h
submit alice/next queue=ml at=1h 1 x cpu=8 for=8h
submit bob/next queue=ml at=2h 1 x cpu=8 for=8h
run
----
0s    bind alice/long-0 n1
0s    bind bob/long-0 n1
8h0m1s bind bob/next-0 n1
16h0m2s bind alice/next-0 n1
