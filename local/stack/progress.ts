/** Prints the label if the work takes long, and does the work. */
export async function withProgress<Result>(
  label: string,
  print: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => print(`${label} …`), PROGRESS_DELAY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

const PROGRESS_DELAY_MS = 300;
