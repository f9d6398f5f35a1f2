// An informer of EndpointSlices as operators in Go have it: client-go's shared informer over protobuf, and a handler that
// compares what matters. Reads a line of standard input, writes what it has seen so far as a line of JSON.
//
// Usage: informer URL CA-FILE TOKEN
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	discovery "k8s.io/api/discovery/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const serviceName = "kubernetes.io/service-name"

type reading struct {
	Events uint64  `json:"events"`
	Kept   uint64  `json:"kept"`
	CPU    float64 `json:"cpu"`
	RSS    int64   `json:"rss"`
	Synced bool    `json:"synced"`
}

func main() {
	config := &rest.Config{
		Host:        os.Args[1],
		BearerToken: os.Args[3],
		QPS:         -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAFile: os.Args[2],
		},
		ContentConfig: rest.ContentConfig{
			AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json",
			ContentType:        "application/vnd.kubernetes.protobuf",
		},
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		panic(err)
	}
	var events, kept atomic.Uint64
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Discovery().V1().EndpointSlices().Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			events.Add(1)
			if differ(before.(*discovery.EndpointSlice), after.(*discovery.EndpointSlice)) {
				kept.Add(1)
			}
		},
	})
	if err != nil {
		panic(err)
	}
	factory.Start(make(chan struct{}))
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			panic(err)
		}
		cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		said := reading{events.Load(), kept.Load(), float64(cpu) / float64(time.Millisecond), usage.Maxrss * 1024, informer.HasSynced()}
		if err := answers.Encode(said); err != nil {
			panic(err)
		}
	}
}

func differ(a, b *discovery.EndpointSlice) bool {
	if a.Labels[serviceName] != b.Labels[serviceName] || a.AddressType != b.AddressType ||
		len(a.Endpoints) != len(b.Endpoints) || len(a.Ports) != len(b.Ports) {
		return true
	}
	for i := range a.Endpoints {
		x, y := &a.Endpoints[i], &b.Endpoints[i]
		if x.Addresses[0] != y.Addresses[0] || !same(x.NodeName, y.NodeName) ||
			!same(x.Conditions.Ready, y.Conditions.Ready) || !same(x.Conditions.Serving, y.Conditions.Serving) ||
			!same(x.Conditions.Terminating, y.Conditions.Terminating) {
			return true
		}
	}
	for i := range a.Ports {
		if !same(a.Ports[i].Name, b.Ports[i].Name) || !same(a.Ports[i].Port, b.Ports[i].Port) {
			return true
		}
	}
	return false
}

func same[T comparable](a, b *T) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
