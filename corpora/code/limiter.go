// Package limiter spreads bursts: a token bucket that many goroutines may share.
package limiter

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrTooLarge is returned when a request can never be granted.
var ErrTooLarge = errors.New("limiter: more tokens asked for than the bucket holds")

// Bucket holds up to size tokens and gains rate of them a second.
type Bucket struct {
	mu     sync.Mutex
	size   float64
	rate   float64
	tokens float64
	last   time.Time
	now    func() time.Time
}

// New returns a full bucket.
func New(size, rate float64) *Bucket {
	return &Bucket{size: size, rate: rate, tokens: size, last: time.Now(), now: time.Now}
}

// take removes n tokens, or says how long it would be until they are there.
func (b *Bucket) take(n float64) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()

	now := b.now()
	b.tokens = min(b.size, b.tokens+b.rate*now.Sub(b.last).Seconds())
	b.last = now
	if b.tokens >= n {
		b.tokens -= n
		return 0, true
	}
	return time.Duration((n - b.tokens) / b.rate * float64(time.Second)), false
}

// Wait blocks until n tokens are granted or the context ends.
func (b *Bucket) Wait(ctx context.Context, n float64) error {
	if n > b.size {
		return ErrTooLarge
	}
	for {
		delay, ok := b.take(n)
		if ok {
			return nil
		}
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}
