/** Says what is being done, if it takes longer than a blink, and does it. */
export async function withProgress<Result>(
  label: string,
  print: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => print(`${label} …`), BLINK_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

const BLINK_MS = 300;
