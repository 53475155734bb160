/** How long a request may wait for other uploads, and how long to wait before another try. */
export const SAMPLE_WAIT_S = 10;

/** What one process uploads at once; of a company, one sample at a time. */
export const SAMPLE_UPLOADS = { slots: 2, maxWaiting: 4, waitMs: SAMPLE_WAIT_S * 1000 };
