import { AppError, badFormat } from "../errors.ts";

const MOST_CONTACTS = 100;

export interface PickedContacts {
  bulk: boolean;
  /** One entry each, not looked into yet. */
  contacts: unknown[];
}

/**
 * Finds the recipients of a request: exactly one of `contact` (an object) and `contacts` (1 to 100 of them).
 *
 * Throws `validation_failed` with the contract's own messages.
 */
export function pickContacts(body: Record<string, unknown>, { flat }: { flat: boolean }): PickedContacts {
  const { contact, contacts } = body;
  const [hasContact, hasContacts] = [isGiven(contact), isGiven(contacts)];
  if (hasContact && hasContacts) {
    throw refused("contacts", "Cannot use both 'contact' and 'contacts' simultaneously");
  }
  if (flat && hasContacts) throw refused("contacts", "'contacts' cannot be combined with unflatten=true");
  if (hasContacts) return { bulk: true, contacts: listOf(contacts) };
  if (!hasContact) throw refused("contact", "Missing required field: 'contact' or 'contacts'");
  if (Array.isArray(contact)) throw refused("contact", "'contact' must be an object, not an array");
  if (typeof contact !== "object") throw badFormat("contact", contact, "an object");
  return { bulk: false, contacts: [contact] };
}

function listOf(contacts: unknown): unknown[] {
  if (!Array.isArray(contacts)) {
    if (typeof contacts === "object") throw refused("contacts", "'contacts' must be an array, not an object");
    throw badFormat("contacts", contacts, "an array");
  }
  if (contacts.length === 0) throw refused("contacts", "'contacts' array cannot be empty");
  if (contacts.length > MOST_CONTACTS) {
    throw refused(
      "contacts",
      `Maximum ${MOST_CONTACTS} contacts allowed per request. Received: ${contacts.length}`,
    );
  }
  return contacts;
}

/** Many clients write null for what they leave out. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refused(field: string, message: string): AppError {
  return new AppError("validation_failed", message, { details: { field, reason: message } });
}
