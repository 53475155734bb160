import type { CompanyAccess } from "../_shared/http/guards/company_caller.ts";

/**
 * The role of a member, and the permission of the company's access key, that each route below
 * `/manage/companies/{company_id}` needs.
 *
 * `channel` is the permission of the campaign's channel. Null: a member's token only. That holds for what makes, shows or
 * widens a credential, for every owner's route except the rights of recipients, which a company's own forms record, and for
 * what a person does by hand.
 */
export const ROUTE_ACCESS = {
  "GET /overview": { role: "viewer", permission: "reports" },
  "GET /usage": { role: "viewer", permission: "reports" },
  "GET /audit": { role: "viewer", permission: null },
  "GET /events": { role: "viewer", permission: null },

  "GET /campaigns": { role: "viewer", permission: "channel" },
  "GET /campaigns/{campaign_id}": { role: "viewer", permission: "channel" },
  "GET /campaigns/{campaign_id}/recipients": { role: "viewer", permission: "channel" },
  "GET /campaigns/{campaign_id}/failures": { role: "viewer", permission: "channel" },
  "GET /campaigns/{campaign_id}/pricing": { role: "viewer", permission: "channel" },
  "POST /campaigns/{campaign_id}/pause": { role: "operator", permission: "channel" },
  "POST /campaigns/{campaign_id}/resume": { role: "operator", permission: "channel" },
  "POST /campaigns/{campaign_id}/cancel": { role: "operator", permission: "channel" },
  "POST /campaigns/{campaign_id}/resend": { role: "operator", permission: "channel" },

  "GET /uploads": { role: "viewer", permission: "channel" },
  "POST /uploads": { role: "operator", permission: "channel" },
  "GET /uploads/{upload_id}": { role: "viewer", permission: "channel" },
  "PUT /uploads/{upload_id}/contacts": { role: "operator", permission: "channel" },
  "POST /files/preview": { role: "operator", permission: "channel" },

  "GET /contacts": { role: "viewer", permission: "contacts" },
  "GET /contacts/notifications": { role: "viewer", permission: "contacts" },
  "GET /contacts/replies": { role: "viewer", permission: "contacts" },
  "POST /contacts/replies": { role: "operator", permission: "contacts" },
  "GET /contacts/replies/{message_id}/media": { role: "viewer", permission: "contacts" },
  "GET /contacts/suppressions": { role: "viewer", permission: "contacts" },
  "POST /contacts/suppressions": { role: "operator", permission: "contacts" },
  "DELETE /contacts/suppressions": { role: "owner", permission: "contacts" },
  "POST /contacts/suppressions/import": { role: "operator", permission: "contacts" },
  "GET /contacts/consents": { role: "viewer", permission: "contacts" },
  "POST /contacts/consents": { role: "owner", permission: "contacts" },
  "POST /contacts/consents/import": { role: "owner", permission: "contacts" },
  "GET /contacts/export": { role: "operator", permission: "contacts" },
  "POST /contacts/erase": { role: "owner", permission: "erase" },

  "GET /conversations": { role: "viewer", permission: "conversations" },
  "GET /conversations/{conversation_id}": { role: "viewer", permission: "conversations" },
  "GET /conversations/{conversation_id}/messages": { role: "viewer", permission: "conversations" },
  "POST /conversations/{conversation_id}/reply": { role: "operator", permission: "conversations" },
  "POST /conversations/{conversation_id}/close": { role: "operator", permission: "conversations" },
  "POST /conversations/{conversation_id}/typing": { role: "operator", permission: null },
  "POST /conversations/{conversation_id}/assign": { role: "operator", permission: null },
  "GET /conversations/assignees": { role: "viewer", permission: null },
  "GET /conversations/handoffs": { role: "viewer", permission: null },
  "POST /conversations/handoffs/{handoff_id}/join": { role: "operator", permission: null },

  "GET /calls": { role: "viewer", permission: "calls" },
  "GET /calls/{notification_id}": { role: "viewer", permission: "calls" },
  "GET /calls/{notification_id}/recording": { role: "viewer", permission: "calls" },

  "GET /templates": { role: "viewer", permission: "templates" },
  "GET /templates/{template_id}": { role: "viewer", permission: "templates" },
  "POST /templates": { role: "operator", permission: "templates" },
  "POST /templates/sync": { role: "operator", permission: "templates" },

  "GET /senders": { role: "viewer", permission: "senders" },
  "GET /senders/{sender_id}": { role: "viewer", permission: "senders" },
  "POST /senders/{sender_id}/resume": { role: "operator", permission: "senders" },
  "PUT /senders/{sender_id}/rate": { role: "operator", permission: "senders" },
  "GET /agents": { role: "viewer", permission: "senders" },
  "POST /agents": { role: "operator", permission: "senders" },
  "POST /agents/{agent_id}/enable": { role: "operator", permission: "senders" },
  "POST /agents/{agent_id}/disable": { role: "operator", permission: "senders" },

  "GET /webhooks": { role: "viewer", permission: "webhooks" },
  "PUT /webhooks": { role: "owner", permission: null },
  "POST /webhooks/rotate": { role: "owner", permission: null },
  "POST /webhooks/off": { role: "operator", permission: "webhooks" },
  "POST /webhooks/test": { role: "operator", permission: "webhooks" },
  "POST /webhooks/replay": { role: "operator", permission: "webhooks" },
  "GET /deliveries": { role: "viewer", permission: "webhooks" },
  "GET /deliveries/{event_id}": { role: "viewer", permission: "webhooks" },
  "POST /deliveries/{event_id}/replay": { role: "operator", permission: "webhooks" },

  "GET /widgets": { role: "viewer", permission: "widgets" },
  "POST /widgets": { role: "operator", permission: "widgets" },
  "GET /widgets/texts": { role: "viewer", permission: "widgets" },
  "GET /widgets/{widget_id}": { role: "viewer", permission: "widgets" },
  "PUT /widgets/{widget_id}": { role: "operator", permission: "widgets" },
  "GET /knowledge": { role: "viewer", permission: "widgets" },
  "POST /knowledge": { role: "operator", permission: "widgets" },
  "GET /knowledge/{document_id}": { role: "viewer", permission: "widgets" },
  "DELETE /knowledge/{document_id}": { role: "operator", permission: "widgets" },

  "GET /settings": { role: "viewer", permission: "settings" },
  "PUT /settings": { role: "operator", permission: "settings" },
  "PUT /settings/contact_rules": { role: "operator", permission: "settings" },
  "PUT /settings/sending_hours": { role: "operator", permission: "settings" },
  "PUT /settings/frequency_caps": { role: "operator", permission: "settings" },

  "GET /members": { role: "owner", permission: null },
  "POST /members": { role: "owner", permission: null },
  "PUT /members/{user_id}": { role: "owner", permission: null },
  "DELETE /members/{user_id}": { role: "owner", permission: null },
  "POST /leave": { role: "viewer", permission: null },

  "GET /keys": { role: "viewer", permission: null },
  "PUT /keys": { role: "owner", permission: null },
  "POST /keys/rotate": { role: "owner", permission: null },
  "POST /keys/revoke": { role: "owner", permission: null },
  "POST /keys/activate": { role: "owner", permission: null },
  "GET /keys/publishable": { role: "viewer", permission: null },
  "POST /keys/publishable": { role: "operator", permission: null },
  "POST /keys/publishable/{key_id}/revoke": { role: "operator", permission: null },
  "POST /keys/publishable/{key_id}/activate": { role: "operator", permission: null },
} as const satisfies Record<string, CompanyAccess>;

/** Returns what a route needs. Throws for one that the table does not name, so that no route starts without its access. */
export function accessOf(method: string, path: string): CompanyAccess {
  const name = `${method.toUpperCase()} ${path}`;
  if (!Object.hasOwn(ROUTE_ACCESS, name)) throw new Error(`manage/route_access.ts does not name ${name}`);
  return ROUTE_ACCESS[name as keyof typeof ROUTE_ACCESS];
}
