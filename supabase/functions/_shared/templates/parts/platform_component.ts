/** One value of a component in the platform's send request. Source: WhatsApp Cloud API, templates. */
export type PlatformParameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: { link: string } }
  | { type: "video"; video: { link: string } }
  | { type: "document"; document: { link: string; filename?: string } }
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
