import type { ParameterFormat, TemplateComponent } from "../template.ts";

/** The values of one message, by their names in `components_push`. */
export type Values = Record<string, string>;

/** A value that a client supplies, or may supply, to send a template. */
export interface TemplateValue {
  name: string;
  isRequired: boolean;
  /** The template's own; undefined where it has none. */
  example?: string | undefined;
}

/** One part of a template that takes values. */
export interface TemplatePart {
  /** In the order in which they are listed. */
  values: TemplateValue[];
  /** Builds the entries of `template.components`; none where nothing was supplied for it. */
  build(values: Values): PlatformComponent[];
}

/** A template, or one card of a carousel. */
export interface PartSource {
  components: TemplateComponent[];
  parameter_format: ParameterFormat;
  /** Stands before the names of its values: empty, or `carousel_<n>_`. */
  prefix: string;
}

/** The platform refuses text with a line break, a tab or more than four spaces in a row (code 132018). */
export function oneLine(value: string): string {
  return value.replace(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, " ").replace(/ {5,}/g, "    ");
}

type PlatformMedium = { link: string } | { id: string };

/** One value of a component in the platform's send request. Source: WhatsApp Cloud API, templates. */
export type PlatformParameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: PlatformMedium }
  | { type: "video"; video: PlatformMedium }
  | { type: "document"; document: PlatformMedium & { filename?: string } }
  | { type: "location"; location: { latitude: string; longitude: string; name?: string; address?: string } }
  | { type: "coupon_code"; coupon_code: string }
  | { type: "payload"; payload: string }
  | { type: "action"; action: { flow_token?: string; flow_action_data?: unknown } }
  | { type: "limited_time_offer"; limited_time_offer: { expiration_time_ms: number } };

/** One entry of `template.components` in the platform's send request. */
export type PlatformComponent =
  | { type: "header" | "body" | "limited_time_offer"; parameters: PlatformParameter[] }
  | {
    type: "button";
    sub_type: "url" | "quick_reply" | "copy_code" | "flow";
    index: number;
    parameters: PlatformParameter[];
  }
  | { type: "carousel"; cards: { card_index: number; components: PlatformComponent[] }[] };
