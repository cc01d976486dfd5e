package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// devicesRun opens the page of a cluster with devices, when its jobs have theirs.
func devicesRun(t *testing.T, b *browser, width, height int) *page {
	t.Helper()
	address, _ := serveBy(t, whole, "test/web/testdata/devices.yaml", "--paused")
	p := b.open(t, address, width, height)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.Goes("#/cluster")
	p.Click(".transport .play")
	p.Until("six devices that claims have", `document.querySelectorAll(".cell .slots i.full").length === 6`)
	return p
}

// squares are those of a node on the map, each by how it is drawn.
const squares = `[...document.querySelector('.cell[title^="%s:"]').querySelectorAll("i")].
  map((e) => e.className || "free").join()`

// TestDevicesOnThePage: how many devices of each class there are and have holders, on the map, in a table and of one
// node; which claims and pods have them, and why one cannot be had. What a driver writes is text, markup or not.
func TestDevicesOnThePage(t *testing.T) {
	b := start(t)
	p := devicesRun(t, b, 1280, 800)
	p.Until("what is free of the class", `["1", "of 8 gpu.example.com", "1 cannot be used"].every((s) =>
	  document.querySelector(".tile").innerText.includes(s))`)
	p.Until("the one with a taint apart", fmt.Sprintf(squares, "gpu-2")+` === "full,full,free,off" &&
	  document.querySelector('.cell[title^="gpu-2"]').title === "gpu-2: 2 of 4 gpu.example.com, 1 cannot be used"`)
	p.Goes("#/cluster?res=deviceclass/vgpu.example.com")
	p.Until("one of which claims have shares", fmt.Sprintf(squares, "vgpu-1")+` === "part,free"`)
	p.Click(`.tools .segments:last-child button:nth-child(3)`)
	p.Until("a row for each class", `[...document.querySelectorAll(".devices tbody tr")].map((r) => [...r.cells].
	  map((c) => c.innerText.trim().replace(/\s+/g, " ")).join("|")).join(" ") ===
	  "gpu.example.com|gpu.example.com||6 of 8|0|1|1 vgpu.example.com|vgpu.example.com||0 of 2|1 2 shares|0|1"`)
	p.Until("why one cannot be had", `document.querySelector(".devices .plain li").innerText.
	  includes("it has taint gpu.example.com/health=<i>ecc</i>:NoSchedule: only claims that tolerate it get it")`)
	p.Click(".devices .plain li a")
	p.Until("the devices of its node, with claims and pods", `((list) => list.length === 4 &&
	  /gpu-0 allocated\s+lab\/train-worker-\d-gpu train-worker-\d/.test(list[0].innerText) &&
	  list[0].innerText.includes("model <b>A100</b>") && list[1].innerText.includes("onerror=alert(1)") &&
	  list[2].innerText.includes("free") && list[3].innerText.includes("cannot be used"))(
	  [...document.querySelectorAll(".devices-on li")])`)
	p.Click(".devices-on li a")
	p.Until("the job that has it", `location.hash.startsWith("#/jobs?") && location.hash.includes("train")`)
	p.Goes("#/cluster?node=vgpu-1")
	p.Until("the shares of a device", `document.querySelectorAll(".devices-on li:first-child > div").length === 2 &&
	  ["memory 10Gi of 40Gi", "memory 20Gi of 40Gi"].every((s) =>
	  document.querySelector(".devices-on li").innerText.includes(s))`)
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 230, "height": 800, "deviceScaleFactor": 1,
		"mobile": true})
	p.Goes("#/cluster?node=gpu-2")
	p.Until("what a driver wrote in its box, on more than one line", `((list) => list.some((e) => e.offsetHeight > 30) &&
	  list.every((e) => e.scrollHeight <= e.clientHeight))([...document.querySelectorAll(".devices-on .chip")])`)
	p.Do("Emulation.clearDeviceMetricsOverride", nil)
	p.Goes("#/cluster?as=devices&lang=zh")
	p.Until("the table in Chinese", `document.querySelector(".devices thead").innerText.includes("已分配")`)
	p.Sound()
}

// TestDevicesOfALiveScheduler: a person that may not list ResourceSlices sees counts and is told why there are no
// names; of an older scheduler there are no devices at all, and nothing else is missing.
func TestDevicesOfALiveScheduler(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1), why: emptyAnswer,
		devices: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"items": [], "hidden": {"count": 8, "devices": {"total": 8}}}`)
		}}
	counts := map[string]any{"driver": "<b>d</b>", "pool": "n", "classes": []string{}, "total": 8, "free": 2,
		"allocated": 5, "shared": 0, "unusable": 1}
	l.streams <- stays(t, func(f *feed) {
		with, without := gpus("with", "8", "0"), gpus("without", "8", "0")
		with["devices"] = []any{counts}
		f.tell("Node", "ADDED", with)
		f.tell("Node", "ADDED", without)
		f.mark()
	})
	p := l.opens(t, b)
	p.Goes("#/cluster?node=without")
	p.Until("no devices", `document.querySelector(".drawer table") && !document.querySelector(".devices-on")`)
	p.Goes("#/cluster?node=with")
	p.Until("counts, and why no names", `["<b>d</b>", "5 of 8 allocated, 1 cannot be used, 2 free",
	  "You may not list ResourceSlices"].every((s) => document.querySelector(".devices-on")?.innerText.includes(s))`)
	p.Goes("#/cluster?res=driver/<b>d</b>")
	p.Until("squares of the driver", fmt.Sprintf(squares, "with")+` === "full,full,full,full,full,free,free,off"`)
	p.Sound()
}

// TestDevicesOfATrace: its cluster may have devices, though no job of a trace asks for any.
func TestDevicesOfATrace(t *testing.T) {
	b := start(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nodes.csv": "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn1,8000,64000,0,\n",
		"jobs.csv": "job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,memory_mib_per_member," +
			"gpu_per_member,priority,type\na,default,u,0,600,1,1,1000,100,0,,\n",
		"devices.yaml": "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: " +
			"gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address, _ := serveBy(t, whole, filepath.Join(dir, "devices.yaml"), "--trace-nodes", filepath.Join(dir, "nodes.csv"),
		"--trace-jobs", filepath.Join(dir, "jobs.csv"), "--paused")
	p := b.open(t, address, 1280, 800)
	p.Goes("#/cluster?node=n1")
	p.Until("the device of the node", `["gpu-0", "free"].every((s) =>
	  document.querySelector(".devices-on li")?.innerText.includes(s))`)
	p.Sound()
}

// TestManyDevices: 40 000 devices on 5 000 nodes, for which no pod asks, are counted, drawn and listed.
func TestManyDevices(t *testing.T) {
	b := start(t)
	file := filepath.Join(t.TempDir(), "devices.json")
	items := []any{map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
		"metadata": map[string]any{"name": "gpu"}, "spec": map[string]any{"selectors": []any{map[string]any{
			"cel": map[string]string{"expression": `device.driver == "gpu.example.com"`}}}}}}
	for n := range 5000 {
		node, list := fmt.Sprintf("node-%05d", n), []any{}
		for i := range 8 {
			list = append(list, map[string]any{"name": fmt.Sprint("gpu-", i)})
		}
		items = append(items, map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": node},
			"status": map[string]any{"allocatable": map[string]string{"cpu": "64", "memory": "1Ti", "pods": "110"}}})
		items = append(items, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
			"metadata": map[string]any{"name": node}, "spec": map[string]any{"driver": "gpu.example.com", "nodeName": node,
				"pool": map[string]any{"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": list}})
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	address, _ := serveBy(t, whole, file, "--paused")
	p := b.open(t, address, 1280, 800)
	p.Goes("#/cluster?res=deviceclass/gpu&node=node-04999")
	p.Until("all of them", `document.querySelectorAll(".cell").length === 5000 && document.querySelectorAll(
	  ".devices-on li").length === 8 && document.querySelector(".tile").innerText.includes("of 40 000 GPU")`)
	p.Goes("#/cluster?as=devices")
	p.Until("the sum", `document.querySelector(".devices tbody").innerText.includes("0 of 40000")`)
	before := p.busy()
	p.Goes("#/cluster?as=table&res=deviceclass/gpu")
	p.Until("the table", `document.querySelector(".nodes.rows").getAttribute("aria-rowcount") === "5001"`)
	t.Logf("the table of 40 000 devices took %.0f ms of the page's processor time", (p.busy()-before)*1000)
	p.Sound()
}
