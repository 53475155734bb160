import type { Texts } from "./texts.ts";

/** Says when members are back, by the visitor's clock: today, tomorrow, or on a day. */
export function backText(texts: Texts, language: string, backAt: Date | undefined, now = new Date()): string {
  if (!backAt) return texts("away");
  const time = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }).format(backAt);
  const days = Math.round((startOfDay(backAt) - startOfDay(now)) / DAY_MS);
  const name = days === 0 ? "back_today" : days === 1 ? "back_tomorrow" : "back_on";
  const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
  return texts(name).replace("{time}", () => time).replace("{day}", () => day.format(backAt));
}

const DAY_MS = 86_400_000;

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}
