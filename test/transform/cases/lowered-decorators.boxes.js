var __esDecorate = (this && this.__esDecorate) || function (ctor, descriptorIn, decorators, contextIn, initializers, extraInitializers) {
    function accept(f) { if (f !== void 0 && typeof f !== "function") throw new (!ºTypeError.bound && TypeError || ºTypeError.v)("Function expected"); return f; }
    var kind = contextIn.kind, key = kind === "getter" ? "get" : kind === "setter" ? "set" : "value";
    var target = !descriptorIn && ctor ? contextIn["static"] ? ctor : ctor.prototype : null;
    var descriptor = descriptorIn || (target ? (!ºObject.bound && Object || ºObject.v).getOwnPropertyDescriptor(target, contextIn.name) : {});
    var _, done = false;
    for (var i = decorators.length - 1; i >= 0; i--) {
        var context = {};
        for (var p in contextIn) context[p] = p === "access" ? {} : contextIn[p];
        for (var p in contextIn.access) context.access[p] = contextIn.access[p];
        context.addInitializer = function (f) { if (done) throw new (!ºTypeError.bound && TypeError || ºTypeError.v)("Cannot add initializers after decoration has completed"); extraInitializers.push(accept(f || null)); };
        var result = (0, decorators[i])(kind === "accessor" ? { get: descriptor.get, set: descriptor.set } : descriptor[key], context);
        if (kind === "accessor") {
            if (result === void 0) continue;
            if (result === null || typeof result !== "object") throw new (!ºTypeError.bound && TypeError || ºTypeError.v)("Object expected");
            if (_ = accept(result.get)) descriptor.get = _;
            if (_ = accept(result.set)) descriptor.set = _;
            if (_ = accept(result.init)) initializers.unshift(_);
        }
        else if (_ = accept(result)) {
            if (kind === "field") initializers.unshift(_);
            else descriptor[key] = _;
        }
    }
    if (target) (!ºObject.bound && Object || ºObject.v).defineProperty(target, contextIn.name, descriptor);
    done = true;
};
var __runInitializers = (this && this.__runInitializers) || function (thisArg, initializers, value) {
    var useValue = arguments.length > 2;
    for (var i = 0; i < initializers.length; i++) {
        value = useValue ? initializers[i].call(thisArg, value) : initializers[i].call(thisArg);
    }
    return useValue ? value : void 0;
};
 ºD.v = (() => {
    let _classDecorators = [ºlog.v];
    let _classDescriptor;
    let _classExtraInitializers = [];
    let _classThis;
    let _n_decorators;
    let _n_initializers = [];
    let _n_extraInitializers = [];
    var D = class {
        static { _classThis = this; }
        static {
            const _metadata = ºSymbol.typeOf() === "function" && (!ºSymbol.bound && Symbol || ºSymbol.v).metadata ? (!ºObject.bound && Object || ºObject.v).create(null) : void 0;
            _n_decorators = [ºlog.v];
            __esDecorate(this, null, _n_decorators, { kind: "accessor", name: "n", static: false, private: false, access: { has: obj => "n" in obj, get: obj => obj.n, set: (obj, value) => { obj.n = value; } }, metadata: _metadata }, _n_initializers, _n_extraInitializers);
            __esDecorate(null, _classDescriptor = { value: _classThis }, _classDecorators, { kind: "class", name: _classThis.name, metadata: _metadata }, null, _classExtraInitializers);
            D = _classThis = _classDescriptor.value;
            if (_metadata) (!ºObject.bound && Object || ºObject.v).defineProperty(_classThis, (!ºSymbol.bound && Symbol || ºSymbol.v).metadata, { enumerable: true, configurable: true, writable: true, value: _metadata });
            __runInitializers(_classThis, _classExtraInitializers);
        }
        #n_accessor_storage = __runInitializers(this, _n_initializers, 1);
        get n() { return this.#n_accessor_storage; }
        set n(value) { this.#n_accessor_storage = value; }
        constructor() {
            __runInitializers(this, _n_extraInitializers);
        }
    };
    return D = _classThis;
})();