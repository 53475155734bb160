/** One request, and how hard to send it. */
export interface HttpLoad {
  url: string;
  method: "GET" | "POST";
  body?: string;
  connections: number;
  seconds: number;
}

export interface LoadResult {
  /** Requests per second. */
  rate: number;
  /** Milliseconds; whole ones where autocannon measures. */
  p50: number;
  p99: number;
}

/**
 * Sends the next request after each response, over kept-alive connections, with `wrk`, or with npm's autocannon.
 *
 * @throws Error when any answer was not a 2xx: what was refused must not count
 */
export async function runHttpLoad(load: HttpLoad): Promise<LoadResult> {
  return await hasWrk() ? await runWrk(load) : await runAutocannon(load);
}

/** A program that is not there is an exception of the call itself, not of the promise it returns. */
async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["-v"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function runWrk({ url, method, body, connections, seconds }: HttpLoad): Promise<LoadResult> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, luaScript(method, body));
    const threads = Math.min(2, connections);
    const args = [
      "-t",
      String(threads),
      "-c",
      String(connections),
      "-d",
      `${seconds}s`,
      "--timeout",
      "30s",
      "-s",
      script,
      url,
    ];
    const { stdout, stderr } = await new Deno.Command("wrk", { args }).output();
    const text = new TextDecoder().decode(stdout);
    const line = /^RESULT (\d+) ([\d.]+) ([\d.]+) ([\d.]+) (\d+) (\d+)$/m.exec(text);
    if (!line) throw new Error(`wrk said: ${text}${new TextDecoder().decode(stderr)}`);
    const [requests = 0, duration = 0, p50 = 0, p99 = 0, refused = 0, broken = 0] = line.slice(1).map(Number);
    const result = { rate: requests / (duration / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
    return checked(result, { refused, broken });
  } finally {
    await Deno.remove(script);
  }
}

function luaScript(method: string, body: string | undefined): string {
  return `
wrk.method = "${method}"
${body === undefined ? "" : `wrk.body = [==[${body}]==]\nwrk.headers["Content-Type"] = "application/json"`}
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %.0f %.0f %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`;
}

async function runAutocannon({ url, method, body, connections, seconds }: HttpLoad): Promise<LoadResult> {
  const input = body === undefined ? [] : ["-H", "Content-Type=application/json", "-b", body];
  const args = ["-y", "autocannon@8.0.0", "-j", "-m", method, "-c", `${connections}`, "-d", `${seconds}`];
  const { stdout } = await new Deno.Command("npx", { args: [...args, ...input, url], stderr: "null" })
    .output();
  const result = JSON.parse(new TextDecoder().decode(stdout));
  const { requests, latency, non2xx, errors } = result;
  const figures = { rate: requests.average, p50: latency.p50, p99: latency.p99 };
  return checked(figures, { refused: non2xx, broken: errors });
}

function checked(result: LoadResult, { refused, broken }: { refused: number; broken: number }): LoadResult {
  if (refused + broken === 0) return result;
  throw new Error(`${refused} requests were not answered with 2xx, and ${broken} not at all`);
}
