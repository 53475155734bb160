/** The dynamic variable that carries our reference, besides `user_id`. */
export const REFERENCE_VARIABLE = "outbound_reference";
