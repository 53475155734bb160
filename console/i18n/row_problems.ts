import { defineWords } from "./language.ts";

const words = defineWords<Record<string, string>>({
  number_is_missing: "The row has no number",
  number_is_invalid: "This is no phone number of the chosen country, nor one with a country code",
  number_is_ambiguous: "This may be a number of the chosen country, or a mobile number of another",
  number_has_decimals: "The number has decimals",
  number_has_zero_in_brackets: "The number has a (0)",
  number_has_extension: "The last digits stand apart, as an extension does",
  cell_is_empty: "The cell is empty, and the message needs it",
  cell_is_invalid: "The cell holds something that is no text",
  row_length: "The row has more or fewer cells than the first line",
  duplicate_recipient: "The number is there several times",
  recipient_opted_out: "The person does not want these messages",
  consent_missing: "The person has not agreed to marketing",
  user_id_not_supported: "This message needs a phone number",
  frequency_cap: "The person has had as many messages as your caps allow",
  sending_hours: "It is outside your sending hours",
  rules_unreadable: "Your sending hours or caps cannot be read",
  marketing_cooldown: "WhatsApp spares this person from marketing for a while",
}, {
  number_is_missing: "La fila no tiene número",
  number_is_invalid: "No es un teléfono del país elegido ni uno con prefijo de país",
  number_is_ambiguous: "Puede ser un número del país elegido o un móvil de otro",
  number_has_decimals: "El número tiene decimales",
  number_has_zero_in_brackets: "El número tiene un (0)",
  number_has_extension: "Las últimas cifras van aparte, como una extensión",
  cell_is_empty: "La celda está vacía y el mensaje la necesita",
  cell_is_invalid: "La celda contiene algo que no es texto",
  row_length: "La fila tiene más o menos celdas que la primera línea",
  validation_failed: "El valor no vale aquí",
  duplicate_recipient: "El número aparece varias veces",
  recipient_opted_out: "La persona no quiere estos mensajes",
  consent_missing: "La persona no ha aceptado recibir marketing",
  user_id_not_supported: "Este mensaje necesita un número de teléfono",
  frequency_cap: "La persona ha recibido tantos mensajes como permiten tus topes",
  sending_hours: "Está fuera de tus horas de envío",
  rules_unreadable: "No se pueden leer tus horas de envío o tus topes",
  marketing_cooldown: "WhatsApp protege a esta persona del marketing por un tiempo",
});

/** Returns what is wrong with a row in the person's language; the API's own words where nothing better is known. */
export function rowProblem(code: string, reason: string): string {
  const known = words();
  return Object.hasOwn(known, code) ? known[code]! : reason;
}
