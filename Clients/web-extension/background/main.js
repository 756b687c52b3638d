import { Host } from "./host.js";
import { Service } from "./service.js";

new Service(new Host());
