import { Buffer } from "node:buffer";
import { PNG } from "../e2e/media/with_media.ts";
import { type HostPage, send, withHostPage, write } from "./host_page.ts";
import type { WidgetStack } from "./widget_stack.ts";

/** A chat in one of its states, and how to write in it. */
interface Visit {
  host: HostPage;
  stack: WidgetStack;
  /** Returns the text in the language of the visit. */
  say: (english: string, arabic: string) => string;
}

interface ChatState {
  /** Merged into the widget's configuration. */
  config?: Record<string, unknown>;
  /** Brings an opened chat there. */
  enter: (visit: Visit) => Promise<void>;
}

/** The languages of the visits: one from left to right, one from right to left. */
export type VisitLanguage = "en" | "ar";

const CONFIG = {
  appearance: "auto",
  colors: { primary: "#0b6e4f" },
  texts: {
    en: {
      title: "Acme Shoes",
      subtitle: "We usually reply in a few minutes",
      welcome: "Hi! Ask us anything.",
    },
    ar: { title: "أكمي للأحذية", subtitle: "نرد عادة خلال دقائق", welcome: "مرحبا! اسألنا عن أي شيء." },
  },
};

const QUICK_REPLIES = {
  quick_replies: {
    en: [{ text: "Where is my order?" }, { text: "Opening hours" }, { text: "Return something" }],
    ar: [{ text: "أين طلبي؟" }, { text: "ساعات العمل" }, { text: "إرجاع منتج" }],
  },
};

/** Hours on one day alone, in three days. */
const CLOSED = {
  office_hours: { timezone: "UTC", days: { [weekdayIn(3)]: [["09:00", "18:00"]] } },
  follow_up: {},
};

function weekdayIn(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  return new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" }).format(date).toLowerCase();
}

/** An order of its own in each text, by which the stack finds the conversation. */
let order = 1000;

const question = ({ say }: Visit) => {
  order++;
  return say(`Where is my order ${order}?`, `أين طلبي ${order}؟`);
};

async function ask(visit: Visit): Promise<string> {
  const text = question(visit);
  await send(visit.host, text);
  return text;
}

/** The states of a chat that visitors come across, by name. */
export const CHAT_STATES: Record<string, ChatState> = {
  first: {
    config: QUICK_REPLIES,
    enter: async ({ host: { chat } }) => await chat.locator(".quick-replies button").first().waitFor(),
  },
  consent: {
    config: {
      ...QUICK_REPLIES,
      consent: {
        text: "We store what you write here for a year, to reply to you.",
        link: "https://acme.example/privacy",
      },
    },
    enter: async ({ host: { chat } }) => await chat.locator(".consent").waitFor(),
  },
  waiting: { enter: async (visit) => void await ask(visit) },
  reply: {
    async enter(visit) {
      const { host: { chat }, stack, say } = visit;
      const text = await ask(visit);
      const sender = { sender: { name: say("Ana García", "آنا غارسيا") } };
      await stack.reply(
        text,
        say("It left our store this morning.", "غادر متجرنا هذا الصباح."),
        sender,
      );
      await stack.reply(text, say("You will have it tomorrow.", "سيصلك غدا."), sender);
      await chat.locator("li.operator").nth(1).waitFor();
      await send(visit.host, say("Great, thank you!", "رائع، شكرا!"));
      await stack.act(text, "read", { sequence: 4 });
      await stack.act(text, "typing", { is_typing: true, name: say("Ana", "آنا") });
      await chat.locator(".seen").waitFor();
      await chat.locator(".dots").waitFor();
    },
  },
  content: {
    async enter(visit) {
      const { host: { chat }, stack, say } = visit;
      const text = await ask(visit);
      const file = {
        name: "receipt.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from("%PDF-1.4 a receipt"),
      };
      await chat.locator("input[type=file]").setInputFiles(file);
      await chat.locator("li.visitor:not(.pending) a[href]").waitFor();
      const image = await stack.upload(PNG, "image/png", "shoe.png");
      await stack.reply(text, {
        card: {
          title: say("Running shoes", "حذاء للجري"),
          text: say("Back in your size.", "متوفر بمقاسك."),
          image_media_id: image,
          buttons: [{ label: say("Look at them", "شاهده"), url: "https://acme.example/shoes" }],
        },
        quick_replies: [say("I take them", "سآخذه"), say("Not now", "ليس الآن")],
        sender: { name: say("Ana García", "آنا غارسيا") },
      });
      await chat.locator(".card img").waitFor();
    },
  },
  machine: {
    config: { assistant: { mode: "search" } },
    async enter({ host, stack, say }) {
      const title = say("Warranty", "الضمان");
      await addDocument(stack, {
        title,
        content: say("Umbrellas have a warranty of two years.", "ضمان المظلات سنتان."),
        language: say("en", "ar"),
        url: "https://acme.example/warranty",
      });
      await send(host, say("Which warranty has an umbrella?", "ضمان المظلات"));
      await host.chat.locator(".sources").waitFor();
      await host.chat.locator("button.person").waitFor();
    },
  },
  away: {
    config: { ...CLOSED, ...QUICK_REPLIES },
    async enter(visit) {
      await ask(visit);
      await visit.host.chat.locator(".email").waitFor();
    },
  },
  file_failed: {
    async enter({ host: { chat } }) {
      const file = { name: "shoes.zip", mimeType: "application/zip", buffer: Buffer.from("PK") };
      await chat.locator("input[type=file]").setInputFiles(file);
      await chat.locator("li.refused").waitFor();
    },
  },
  offline: {
    async enter(visit) {
      const { host } = visit;
      await ask(visit);
      await host.page.context().setOffline(true);
      await write(host, question(visit));
      await host.chat.locator(".status.trouble").waitFor();
    },
  },
  ended: {
    async enter(visit) {
      const text = await ask(visit);
      await visit.stack.reply(text, visit.say("It is on its way.", "إنه في الطريق."));
      await visit.stack.end(text);
      await visit.host.chat.locator(".feedback").waitFor();
    },
  },
};

async function addDocument(
  { apiUrl, demo }: WidgetStack,
  document: Record<string, string>,
): Promise<void> {
  const response = await fetch(`${apiUrl}/manage/companies/mine/knowledge?access_key=${demo.access_key}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(document),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}

/** Calls `fn` with a page on which a chat is open, in a state. */
export async function withChatState(
  stack: WidgetStack,
  { name, language, look = {}, viewport = { width: 440, height: 700 } }: {
    name: string;
    language: VisitLanguage;
    /** Merged into the configuration of every state. */
    look?: Record<string, unknown>;
    viewport?: { width: number; height: number };
  },
  fn: (host: HostPage) => Promise<void>,
): Promise<void> {
  const { config, enter } = CHAT_STATES[name]!;
  const widget = await stack.makeWidget({ ...CONFIG, ...look, ...config });
  await withHostPage(stack, async (host) => {
    await host.page.locator("[data-outbound-widget] .button").click();
    await host.chat.locator("main").waitFor();
    await enter({ host, stack, say: (english, arabic) => language === "en" ? english : arabic });
    await fn(host);
  }, {
    attributes: { widget, lang: language },
    hostname: "127.0.0.1",
    context: { viewport, deviceScaleFactor: 1.5, reducedMotion: "reduce", locale: "en-GB" },
  });
}
