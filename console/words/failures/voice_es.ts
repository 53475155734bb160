import { type Explained, TODO_ES as todo } from "./todo_es.ts";

/** The codes of the voice platform, in Spanish. */
export const VOICE_ES: Readonly<Record<string, Explained>> = {
  agent_not_found: ["La plataforma no conoce al agente", todo.agent],
  already_running: ["La plataforma aún está ocupada con la misma petición", todo.resend],
  concurrent_limit_exceeded: ["Hay tantas llamadas en curso como permite la cuenta", todo.freeLines],
  conflict: ["La plataforma está ocupada con una petición incompatible", todo.resend],
  feature_not_available: ["El plan de la cuenta no incluye llamadas", todo.account],
  insufficient_credits: ["La cuenta no tiene crédito", todo.account],
  insufficient_permissions: ["La clave de la API no puede hacer llamadas", todo.account],
  invalid_api_key: ["La plataforma no acepta la clave de la API", todo.account],
  invalid_parameters: ["La plataforma no acepta un parámetro de la llamada", todo.correct],
  invalid_provider_config: [
    "El número no se puede usar para llamadas tal como está configurado",
    todo.account,
  ],
  malformed_json: ["La plataforma no pudo leer los parámetros de la llamada", todo.correct],
  missing_api_key: ["Falta la clave de la API", todo.account],
  missing_permissions: ["La clave de la API no puede hacer llamadas", todo.account],
  missing_required_field: ["A la llamada le falta un parámetro", todo.correct],
  needs_authorization: ["La plataforma no acepta la clave de la API", todo.account],
  phone_number_not_found: ["La plataforma no conoce el número del remitente", todo.account],
  quota_exceeded: ["La cuenta no tiene crédito", todo.account],
  rate_limit_exceeded: ["Se hicieron demasiadas peticiones a la plataforma", todo.slower],
  subscription_required: ["La cuenta necesita un plan de pago para llamar", todo.account],
  system_busy: ["La plataforma está saturada por poco tiempo", todo.resend],
  too_many_concurrent_requests: ["Hay tantas llamadas en curso como permite la cuenta", todo.freeLines],
  unauthorized: ["La plataforma no acepta la clave de la API", todo.account],
};
