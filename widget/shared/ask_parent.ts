export interface Question<Answer> {
  /** The page around this one. */
  window: Window;
  /** Its exact origin: answers from anywhere else are not heard, and nobody else can read the question. */
  origin: string;
  type: string;
  /** Takes the answer out of a message's data; undefined for what is none. */
  parse: (data: unknown) => Answer | undefined;
  patienceMs?: number;
}

const PATIENCE_MS = 10_000;

/** The page around this one may not listen yet when it is first asked. */
const ASK_EVERY_MS = 400;

/**
 * Asks the page around this one and answers what it says, or undefined when it says nothing in time. Only messages of
 * that very window and origin count.
 */
export function askParent<Answer>(question: Question<Answer>): Promise<Answer | undefined> {
  const { window: other, origin, type, parse, patienceMs = PATIENCE_MS } = question;
  return new Promise((resolve) => {
    const listen = (event: MessageEvent) => {
      if (event.source !== other || event.origin !== origin) return;
      const answer = parse(event.data);
      if (answer !== undefined) end(answer);
    };
    const ask = () => other.postMessage({ type }, origin);
    const end = (answer: Answer | undefined) => {
      removeEventListener("message", listen);
      clearInterval(asking);
      clearTimeout(giveUp);
      resolve(answer);
    };
    const asking = setInterval(ask, ASK_EVERY_MS);
    const giveUp = setTimeout(() => end(undefined), patienceMs);
    addEventListener("message", listen);
    ask();
  });
}
