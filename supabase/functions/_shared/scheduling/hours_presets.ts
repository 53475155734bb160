import { readWindows, type WeekWindows } from "./week_windows.ts";

/** The hours of one kind of notification in a country. */
export interface PresetHours {
  windows: WeekWindows;
  /** Closed on the country's public holidays. */
  holidays: boolean;
}

/** How far a preset can be relied on, from law to what a vendor of messaging suggests. */
export type PresetStrength = "law" | "industry code" | "vendor's advice";

/** A country's usual hours. No legal advice: docs/sending-hours.md says what each is based on. */
export interface HoursPreset {
  calls: PresetHours;
  messages: PresetHours;
  strength: PresetStrength;
  /** The rule behind the hours, and the limits that they leave out. */
  about: string;
  source: string;
}

function hours(text: string, { holidays = false } = {}): PresetHours {
  return { windows: readWindows(text)!, holidays };
}

const CLOSED_ON_HOLIDAYS = { holidays: true };

type Facts = Pick<HoursPreset, "strength" | "about" | "source">;

function forBoth(both: PresetHours, facts: Facts): HoursPreset {
  return { calls: both, messages: both, ...facts };
}

const KLAVIYO = "help.klaviyo.com/hc/articles/4408737146651";

/** Of a vendor's table of quiet hours for SMS. */
function byVendorTable(): HoursPreset {
  return forBoth(hours("mon-sun 08:00-21:00"), {
    strength: "vendor's advice",
    about: "marketing SMS",
    source: KLAVIYO,
  });
}

/** The hours in countries without a preset: what a vendor of messaging uses worldwide. */
export const DEFAULT_HOURS: PresetHours = hours("mon-sun 08:00-20:00");

/** The countries with a preset. */
export const PRESET_COUNTRIES = [
  "AU",
  "BR",
  "CA",
  "CO",
  "DE",
  "ES",
  "FR",
  "GB",
  "IE",
  "IN",
  "NL",
  "NZ",
  "US",
] as const;
export type PresetCountry = typeof PRESET_COUNTRIES[number];

/** The presets by country. Where no rule for messages was found, they have the hours of calls. */
export const HOURS_PRESETS: Record<PresetCountry, HoursPreset> = {
  AU: {
    calls: hours("mon-fri 09:00-20:00; sat 09:00-17:00", CLOSED_ON_HOLIDAYS),
    messages: hours("mon-sun 08:00-21:00"),
    strength: "law",
    about:
      "sales calls, Telemarketing and Research Calls Industry Standard 2017; messages: a vendor's table for SMS",
    source: `donotcall.gov.au/consumers/consumer-overview/industry-standards; ${KLAVIYO}`,
  },
  BR: forBoth(hours("mon-fri 09:00-21:00; sat 10:00-16:00"), {
    strength: "industry code",
    about: "sales calls; a court applied the code of the telemarketing industry",
    source: "valor.globo.com, 2022-10-20",
  }),
  CA: forBoth(hours("mon-fri 09:00-21:30; sat-sun 10:00-18:00"), {
    strength: "law",
    about: "sales calls; provinces may be stricter. Automated sales calls need express consent",
    source: "lnnte-dncl.gc.ca/ind/ntr-nrt-eng; northerntel.ca/eng/inside_ntl/donotcalllist",
  }),
  CO: forBoth(hours("mon-fri 07:00-19:00; sat 08:00-15:00", CLOSED_ON_HOLIDAYS), {
    strength: "law",
    about: "calls, SMS, e-mail and apps such as WhatsApp; Ley 2300. Also at most one contact per day",
    source: "semana.com, 202424",
  }),
  DE: byVendorTable(),
  ES: forBoth(hours("mon-fri 09:00-21:00", CLOSED_ON_HOLIDAYS), {
    strength: "law",
    about: "sales calls; consumer law (TRLGDCU), article 96.2. Calls of a machine need express consent",
    source: "huffingtonpost.es; legaltoday.com",
  }),
  FR: {
    calls: hours("mon-fri 10:00-13:00,14:00-20:00", CLOSED_ON_HOLIDAYS),
    messages: hours("mon-sat 08:00-22:00", CLOSED_ON_HOLIDAYS),
    strength: "law",
    about:
      "sales calls, at most four per month, since 2026-08-11 only with consent; messages: a vendor's table for SMS",
    source: `tf1info.fr; ${KLAVIYO}`,
  },
  GB: byVendorTable(),
  IE: byVendorTable(),
  IN: forBoth(hours("mon-sun 10:00-21:00"), {
    strength: "vendor's advice",
    about: "promotional SMS and calls; vendors name 09:00 or 10:00, this is the later one",
    source: "docs.satisfilabs.com; d7networks.com; sent.dm",
  }),
  NL: byVendorTable(),
  NZ: byVendorTable(),
  US: forBoth(hours("mon-sun 08:00-21:00"), {
    strength: "law",
    about: "sales calls and SMS; TCPA and TSR. Some states are stricter: FL, OK, MD, WA and WY end at 20:00",
    source: "legalclarity.org; Code of Federal Regulations, title 47, section 64.1200(c)(1)",
  }),
};

/** Returns the hours of a country, or the default ones. */
export function presetHours(country: string | null, channel: "whatsapp" | "voice"): PresetHours {
  const preset = (HOURS_PRESETS as Record<string, HoursPreset | undefined>)[country ?? ""];
  if (preset === undefined) return DEFAULT_HOURS;
  return channel === "voice" ? preset.calls : preset.messages;
}
