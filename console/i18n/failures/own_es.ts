import type { Explained } from "./advice_es.ts";

/** Our own codes and the outcomes of calls, in Spanish. */
export const OWN_ES: Readonly<Record<string, Explained>> = {
  unknown: [
    "Este servicio no conoce el código, o la plataforma no dio ninguno",
    "Mira el motivo entre los destinatarios, o la documentación de la plataforma. Para reenviar, nombra el código",
  ],
  expired: [
    "No se envió a tiempo: su campaña estaba en pausa, o su remitente o su plantilla no se podían usar",
    "Mira el motivo; cuando se haya resuelto, reenvía",
  ],
  outcome_unknown: [
    "La plataforma nunca dijo si lo había aceptado",
    "El destinatario puede haberlo recibido. Si dos veces es mejor que ninguna, reenvía este código por su nombre",
  ],
  template_changed: [
    "La plantilla pide otros valores que cuando se aceptó la petición",
    "Haz un envío nuevo con los valores que pide ahora la plantilla",
  ],
  agent_disabled: [
    "El agente de voz se desactivó antes de hacer la llamada",
    "Activa el agente y reenvía",
  ],
  busy: ["La línea estaba ocupada", "Reenvía"],
  no_answer: ["Nadie contestó la llamada", "Reenvía a otra hora del día"],
  failed: [
    "La llamada no se pudo hacer, o se cortó con un error",
    "Mira el motivo: corrige el número o el agente y reenvía este código por su nombre",
  ],
  opted_out: ["El destinatario no quiere estos mensajes", "Deja en paz a la persona"],
  no_consent: [
    "El destinatario no ha aceptado el marketing, y la empresa lo exige",
    "Registra un consentimiento y reenvía",
  ],
  frequency_cap: [
    "El destinatario recibió tantos mensajes de marketing como permite la empresa",
    "Reenvía cuando pasen los días del límite",
  ],
  erased: ["El destinatario se borró", "Nada: ya no se conoce a nadie"],
};

/** The advice about a row of a file, in Spanish. */
export const ROWS_ES: Readonly<Record<string, string>> = {
  number_is_missing: "Añade el número de la persona",
  number_is_invalid: "Escribe el número con + y el prefijo del país",
  number_is_ambiguous: "Escribe el número con + y el prefijo del país",
  number_has_decimals: "Da formato de texto a la columna, con todas las cifras y sin decimales",
  number_has_zero_in_brackets: "Quita el (0)",
  number_has_extension: "Quita las últimas cifras o escribe el número sin separadores",
  cell_is_empty: "Rellena la celda",
  cell_is_invalid: "Escribe la celda como texto",
  row_length: "Da a la fila tantas celdas como tiene la primera línea",
  validation_failed: "Corrige la celda y envía la fila en otro archivo",
  duplicate_recipient: "Nada, o permite arriba varios mensajes a un mismo número",
  recipient_opted_out: "Deja en paz a la persona",
  consent_missing: "Registra un consentimiento y envía la fila en otro archivo",
  user_id_not_supported: "Da el número de la persona",
  frequency_cap: "Nada, o envía cuando pasen los días del límite",
  sending_hours: "Nada: el mensaje sale cuando empiece el horario",
  rules_unreadable: "Guarda otra vez el horario y los límites, o pide al operador que actualice el servicio",
  marketing_cooldown: "Nada: el mensaje sale cuando acabe el descanso de la plataforma",
};
