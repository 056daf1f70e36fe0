// Runs at most `limit` jobs at once, retries the ones that fail, and never loses an error.

type Job<T> = (signal: AbortSignal) => Promise<T>;

interface Options {
  limit: number;
  retries?: number;
  /** Milliseconds before the first retry; doubled each time. */
  delay?: number;
}

export class QueueClosed extends Error {
  override name = "QueueClosed";
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class Queue {
  readonly #waiting: Array<() => void> = [];
  readonly #abort = new AbortController();
  #running = 0;

  constructor(private readonly options: Options) {
    if (!Number.isInteger(options.limit) || options.limit < 1) {
      throw new RangeError(`limit must be a positive integer, got ${options.limit}`);
    }
  }

  async add<T>(job: Job<T>): Promise<T> {
    if (this.#abort.signal.aborted) throw new QueueClosed("the queue takes no more jobs");
    while (this.#running >= this.options.limit) {
      await new Promise<void>((turn) => this.#waiting.push(turn));
    }
    this.#running += 1;
    try {
      return await this.#attempt(job);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #attempt<T>(job: Job<T>): Promise<T> {
    const { retries = 3, delay = 250 } = this.options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await job(this.#abort.signal);
      } catch (error) {
        if (attempt >= retries || this.#abort.signal.aborted) throw error;
        console.warn(`attempt ${attempt + 1} of ${retries + 1} failed:`, error);
        await sleep(delay * 2 ** attempt);
      }
    }
  }

  close(): void {
    this.#abort.abort(new QueueClosed("closed by its owner"));
  }
}
