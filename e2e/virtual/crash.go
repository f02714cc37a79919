package virtual

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// Prepare makes the global state of the Kubernetes libraries fit for virtual processes, once in a program. Call it before the
// first bubble, and before other goroutines use these libraries:
//   - klog writes to the log of the process whose goroutine logs, and drops the lines of other goroutines;
//   - utilruntime.HandleError only logs: its back-off compares with the real time of the program's start, so that in a bubble
//     it would sleep for years;
//   - a panic that utilruntime.HandleCrash observes, and an exit by klog, end the virtual process that they happen
//     in, by ending the goroutine and [Process.Done]. Outside of a virtual process both are as they were.
//
// What Kubernetes' libraries cannot see still ends the program: a panic of a goroutine that a provider starts itself, a fatal
// error of the runtime, os.Exit.
func Prepare() error { return prepared() }

var prepared = sync.OnceValue(func() error {
	if err := routeKlog(); err != nil {
		return err
	}
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, crash)
	exitProgram := klog.OsExit
	klog.OsExit = func(code int) {
		exitVirtual(code)
		exitProgram(code)
	}
	return nil
})

// crash ends the process that panics, and with it the goroutine. For other goroutines it returns, and HandleCrash panics again.
func crash(_ context.Context, value any) {
	p := Current()
	if p == nil {
		return
	}
	p.end(p.panicked(value, " [recovered, repanicked]"))
	runtime.Goexit()
}

// exitVirtual is os.Exit of the process that the goroutine belongs to. It returns when there is none.
func exitVirtual(code int) {
	p := Current()
	if p == nil {
		return
	}
	p.end(fmt.Errorf("exit status %d", code))
	runtime.Goexit()
}
