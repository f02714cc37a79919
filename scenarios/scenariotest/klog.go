package scenariotest

import (
	"fmt"
	"io"
	"sync"

	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// klogOutput is where klog writes: the log of the CCM while one runs, and nowhere
// else. What is logged after its end is dropped: no one waits for the last words of the app's goroutines.
type klogOutput struct {
	mu sync.Mutex
	to io.Writer // nil while none runs
}

// newKlogOutput makes klog, which is the process's, write to it. The app would
// set klog up at each start, while others log; so it is done once, before the first.
func newKlogOutput() (*klogOutput, error) {
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	if err := logsapi.ValidateAndApply(logsapi.NewLoggingConfiguration(), nil); err != nil {
		return nil, fmt.Errorf("set klog up: %w", err)
	}
	o := &klogOutput{}
	klog.SetLoggerWithOptions(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(o))), klog.ContextualLogger(true))
	return o, nil
}

// Write writes a line. It has no errors: klog would end the process.
func (o *klogOutput) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.to != nil {
		_, _ = o.to.Write(line)
	}
	return len(line), nil
}

// lead leads what is logged to w.
func (o *klogOutput) lead(w io.Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = w
}
