package core

import (
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// waiters are those who wait for an operation to finish.
type waiters struct {
	mu sync.Mutex
	of map[simcloud.ID]*waiting
}

type waiting struct {
	finished chan struct{}
	count    int
}

func (w *waiters) add(id simcloud.ID) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[simcloud.ID]*waiting{}
	}
	if w.of[id] == nil {
		w.of[id] = &waiting{finished: make(chan struct{})}
	}
	w.of[id].count++
	return w.of[id].finished
}

func (w *waiters) drop(id simcloud.ID, finished <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.of[id]; wait != nil && wait.finished == finished {
		if wait.count--; wait.count == 0 {
			delete(w.of, id)
		}
	}
}

func (w *waiters) notify(id simcloud.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.of[id]; wait != nil {
		close(wait.finished)
		delete(w.of, id)
	}
}

// notifyAll wakes all waiters, after operations have gone unfinished.
func (w *waiters) notifyAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, wait := range w.of {
		close(wait.finished)
		delete(w.of, id)
	}
}
