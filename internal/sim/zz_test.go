package sim_test
import ("testing";"fmt";"time";"ashlar.sh/internal/sim";"pgregory.net/rapid")
func TestZZ(t *testing.T){
	var items []sim.Item
	for i:=range 1000 { items=append(items,node(fmt.Sprintf("n%d",i),32)) }
	for i:=range 50000 { items=append(items,pod(fmt.Sprintf("p%d",i),int64(1+i%8),at(time.Duration(i/50)*time.Second), lasts(time.Duration(50+i%300)*time.Second))) }
	s:=time.Now()
	w,_:=sim.New(profile(),items,sim.Options{})
	w.Run(0)
	fmt.Printf("%+v %v\n",w.Summary(),time.Since(s))
}
func TestZY(t *testing.T){
	b,p,n,gangs:=0,0,0,0
	rapid.Check(t,func(t *rapid.T){ d:=draw{t}; items:=d.items(); w,_:=d.run(items,sim.Options{},nil); s:=w.Summary(); b+=s.Bound;p+=s.Pending;n++
	for _,j:=range w.Engine().Report().Jobs { if j.MinMember>1 && j.Phase>1 {gangs++} } })
	fmt.Println(n,b,p,gangs)
}
