# How large an image is, each node says for itself: big has the large one of that name and draws the pod, small has
# one that is worth nothing.
#
# Without images the pod would go to small.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node small cpu=4
node big cpu=4
submit ml/plain 1 x cpu=1 image=reg/llm:1
cycle
----
bind ml/plain-0 small

finish ml/plain
node small cpu=4 image=reg/llm:1,20Mi
node big cpu=4 image=reg/llm:1,4Gi
submit ml/train 1 x cpu=1 image=reg/llm:1
cycle
----
bind ml/train-0 big
