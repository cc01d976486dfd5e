# A pod goes to the node that holds its image already: pulling takes minutes. The fewer nodes
# hold it the less that counts, so that not all pods with a new image crowd on the first node
# that has it; and a small image is pulled in no time.

node n1 n3 n4 cpu=8 memory=32Gi
node n2       cpu=8 memory=32Gi image=reg/llm:1,900Mi image=reg/sh:1,20Mi
submit ml/serve 1 x cpu=1,memory=4Gi image=reg/llm:1
cycle
----
bind ml/serve-0 n2

submit ml/shell 1 x cpu=1,memory=4Gi image=reg/sh:1
cycle
----
bind ml/shell-0 n4

node n1 n3 n4 cpu=8 memory=32Gi image=reg/llm:1,900Mi
submit ml/more 3 x cpu=1,memory=4Gi image=reg/llm:1
cycle
----
bind ml/more-0 n3
bind ml/more-1 n1
bind ml/more-2 n4
