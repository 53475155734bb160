import { defineWords } from "../../words/language.ts";

export const words = defineWords({
  title: "Log in",
  email: "E-mail",
  password: "Password",
  endings: {
    expired: "Your session has ended. Log in again to go on where you were.",
    idle: "You were away for half an hour, so you were logged out. Log in to go on where you were.",
    left: "You are logged out.",
  },
  refused: "E-mail or password is wrong.",
  forgotten: "Forgotten? The operator of the server can set a new one.",
  arriveTitle: "You are invited",
  arriveAs: "This link logs you in as",
  arrivePassword:
    "You are logged in until this session ends. To log in again you need a password: ask the operator of the server.",
  goOn: "Go on",
  brokenTitle: "This link is not valid any more",
  broken: "It was used before, or it is too old. Ask an owner of the company to invite you again.",
  toLogIn: "Go to the log-in",
}, {
  title: "Iniciar sesión",
  email: "Correo electrónico",
  password: "Contraseña",
  endings: {
    expired: "Tu sesión terminó. Inicia sesión para seguir donde estabas.",
    idle: "Se cerró la sesión tras media hora sin actividad. Inicia sesión para seguir donde estabas.",
    left: "Cerraste la sesión.",
  },
  refused: "El correo o la contraseña no son correctos.",
  forgotten: "¿La olvidaste? Quien administra el servidor puede poner otra.",
  arriveTitle: "Tienes una invitación",
  arriveAs: "Este enlace inicia tu sesión como",
  arrivePassword:
    "La sesión dura hasta que termine. Para entrar de nuevo necesitas una contraseña: pídela a quien administra el servidor.",
  goOn: "Continuar",
  brokenTitle: "Este enlace ya no es válido",
  broken: "Se usó antes o es demasiado antiguo. Pide a un propietario de la empresa que te invite de nuevo.",
  toLogIn: "Ir al inicio de sesión",
});
