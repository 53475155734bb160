import { Buffer } from "node:buffer";
import { eventually } from "../setup/eventually.ts";

/** A mail server that keeps what it receives. */
export interface Mailbox {
  port: number;
  /** Returns the link in the next e-mail to an address. */
  nextLink(to: string): Promise<URL>;
  /** The e-mails to an address so far. */
  count(to: string): number;
  close(): Promise<void>;
}

/** Listens on a free port for e-mails. */
export function openMailbox(): Mailbox {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const mails: { to: string; text: string }[] = [];
  const read = new Map<string, number>();
  const sessions = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const connection of listener) {
      const session = receive(connection, (mail) => mails.push(mail)).catch(() => {});
      sessions.add(session);
    }
  })();
  const to = (address: string) => mails.filter((mail) => mail.to === address);
  return {
    port: listener.addr.port,
    count: (address) => to(address).length,
    async nextLink(address) {
      const next = read.get(address) ?? 0;
      const mail = await eventually(() => {
        const found = to(address)[next];
        if (found === undefined) throw new Error(`no e-mail number ${next + 1} to ${address}`);
        return found;
      });
      read.set(address, next + 1);
      return linkIn(mail.text);
    },
    async close() {
      listener.close();
      await accepting;
      await Promise.all(sessions);
    },
  };
}

/** Holds one conversation in SMTP. */
async function receive(
  connection: Deno.Conn,
  deliver: (mail: { to: string; text: string }) => void,
): Promise<void> {
  using _connection = connection;
  const say = (line: string) => connection.write(new TextEncoder().encode(`${line}\r\n`));
  await say("220 mailbox");
  let to = "";
  let text: string[] | undefined;
  for await (const line of lines(connection)) {
    if (text !== undefined) {
      if (line !== ".") text.push(line);
      else {
        deliver({ to, text: text.join("\n") });
        text = undefined;
        await say("250 kept");
      }
    } else if (/^DATA/i.test(line)) {
      text = [];
      await say("354 go on");
    } else if (/^QUIT/i.test(line)) return void await say("221 bye");
    else {
      to = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? to;
      await say("250 fine");
    }
  }
}

async function* lines(connection: Deno.Conn): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\r\n");
    rest = parts.pop()!;
    yield* parts;
  }
}

function linkIn(text: string): URL {
  const bytes = text.replace(/=\n/g, "").replace(
    /=([0-9A-F]{2})/g,
    (_, hex) => Buffer.from(hex, "hex").toString("latin1"),
  );
  const [, href] = /href="([^"]+)"/.exec(bytes) ?? [];
  if (href === undefined) throw new Error(`no link in the e-mail: ${bytes}`);
  return new URL(href.replaceAll("&amp;", "&"));
}
