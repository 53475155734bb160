/** The rules of one kind of value, the same wherever a template needs one. */
export interface ValueRules {
  /** In characters of JavaScript's strings. */
  maxLength: number;
  /** The value that a client supplies, in words for people. */
  expects: string;
  /** Used where the template has no example of its own. */
  example: string;
}

/** The kinds of values that fill templates. Sources of the limits: the contract, and the platform's template pages. */
export const VALUE_KINDS = {
  text: { maxLength: 1024, expects: "text", example: "Ana" },
  header_text: { maxLength: 60, expects: "text of at most 60 characters", example: "June" },
  image: {
    maxLength: 2000,
    expects: "an https URL of a JPG, PNG or GIF, or media: with the id of a file of yours",
    example: "https://example.com/garden.jpg",
  },
  video: {
    maxLength: 2000,
    expects: "an https URL of an MP4, AVI or MOV, or media: with the id of a file of yours",
    example: "https://example.com/garden.mp4",
  },
  document: {
    maxLength: 2000,
    expects: "an https URL of a PDF, DOC, XLS or PPT, or media: with the id of a file of yours",
    example: "https://example.com/invoice.pdf",
  },
  latitude: { maxLength: 20, expects: "degrees north, from -90 to 90, such as 40.4168", example: "40.4168" },
  longitude: {
    maxLength: 20,
    expects: "degrees east, from -180 to 180, such as -3.7038",
    example: "-3.7038",
  },
  place: { maxLength: 1000, expects: "text of at most 1000 characters", example: "Example Traders" },
  url_end: { maxLength: 2000, expects: "the end of the button's URL", example: "a-1001" },
  coupon_code: { maxLength: 15, expects: "one line of at most 15 characters", example: "SAVE15" },
  payload: {
    maxLength: 256,
    expects: "text of at most 256 characters, which comes back when the button is pressed",
    example: "YES_A-1001",
  },
  offer_end: {
    maxLength: 40,
    expects: "a time with an offset or Z, such as 2030-01-31T18:00:00+01:00, after the message is due",
    example: "2030-01-31T18:00:00Z",
  },
  flow_token: { maxLength: 200, expects: "text of at most 200 characters", example: "visit-1001" },
  flow_data: {
    maxLength: 1024,
    expects: "the text of a JSON object of at most 1024 characters",
    example: '{"name":"Ana"}',
  },
} as const satisfies Record<string, ValueRules>;

export type ValueKind = keyof typeof VALUE_KINDS;

/** The names of the kinds. */
export const VALUE_KIND_NAMES = Object.keys(VALUE_KINDS) as [ValueKind, ...ValueKind[]];

/** The one name of an offer's end: the campaign's due time must come before it. */
export const OFFER_END = "limited_time_offer_expiration";

const NUMBER = "(?:0|[1-9][0-9]{0,2})";

/** The names that a card of a carousel can have as well, behind `carousel_<n>_`. */
const OF_CARDS: [RegExp, ValueKind][] = [
  [/^header_image$/, "image"],
  [/^header_video$/, "video"],
  [new RegExp(`^body_text_${NUMBER}$`), "text"],
  [new RegExp(`^buttons_url_${NUMBER}$`), "url_end"],
  [new RegExp(`^buttons_quick_reply_${NUMBER}$`), "payload"],
];
const OF_MESSAGES: [RegExp, ValueKind][] = [
  ...OF_CARDS,
  [/^header_document$/, "document"],
  [/^header_text_0$/, "header_text"],
  [/^header_location_latitude$/, "latitude"],
  [/^header_location_longitude$/, "longitude"],
  [/^header_location_(?:name|address)$/, "place"],
  [new RegExp(`^buttons_copy_code_${NUMBER}$`), "coupon_code"],
  [new RegExp(`^buttons_flow_token_${NUMBER}$`), "flow_token"],
  [new RegExp(`^buttons_flow_data_${NUMBER}$`), "flow_data"],
  [new RegExp(`^${OFFER_END}$`), "offer_end"],
];

/** At most ten cards, so one digit. */
const CARD_PREFIX = /^carousel_[0-9]_/;

/** Returns the kind of the value with this name in `components_push`; undefined for a name that no template has. */
export function kindOfValue(name: string): ValueKind | undefined {
  const inCard = name.replace(CARD_PREFIX, "");
  return (inCard === name ? OF_MESSAGES : OF_CARDS).find(([pattern]) => pattern.test(inCard))?.[1];
}
