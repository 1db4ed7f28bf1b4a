"""Names of PyTorch 2.13; written by scripts/generate_torch_names.py, do not edit."""
# ruff: noqa: E501

# module -> public prefix -> names that the module holds but that the manual lists under the prefix
PRIVATE: dict[str, dict[str, str]] = {
    "torch.accelerator": {
        "": "torch",
    },
    "torch.accelerator.graphs": {
        "torch.accelerator": "Graph",
    },
    "torch.accelerator.memory": {
        "torch.accelerator": "empty_cache empty_host_cache get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats",
    },
    "torch.amp.autocast_mode": {
        "torch": "autocast",
        "torch.amp": "custom_bwd custom_fwd is_autocast_available",
    },
    "torch.amp.grad_scaler": {
        "torch": "GradScaler",
    },
    "torch.autograd": {
        "": "torch warnings",
        "torch.nn.functional": "has_torch_function",
        "torch.overrides": "handle_torch_function is_tensor_like",
        "torch.profiler": "DeviceType ProfilerActivity kineto_available",
    },
    "torch.autograd.anomaly_mode": {
        "torch.autograd": "detect_anomaly set_detect_anomaly",
    },
    "torch.autograd.forward_ad": {
        "": "torch",
    },
    "torch.autograd.function": {
        "torch.autograd": "Function NestedIOFunction",
    },
    "torch.autograd.functional": {
        "": "torch",
    },
    "torch.autograd.grad_mode": {
        "torch": "enable_grad inference_mode no_grad set_grad_enabled",
        "torch.autograd": "enforce_grad_layout_policy set_multithreading_enabled",
    },
    "torch.autograd.gradcheck": {
        "": "torch warnings",
        "torch.overrides": "is_tensor_like",
    },
    "torch.autograd.graph": {
        "": "torch",
        "torch.autograd": "Variable",
    },
    "torch.autograd.profiler": {
        "": "torch",
        "torch.jit": "Future",
        "torch.profiler": "DeviceType ProfilerActivity kineto_available",
    },
    "torch.autograd.profiler_legacy": {
        "torch.autograd.profiler": "EventList FunctionEvent",
        "torch.profiler": "DeviceType",
    },
    "torch.autograd.profiler_util": {
        "torch.autograd.profiler": "EventList FunctionEvent MemRecordsAcc",
        "torch.profiler": "DeviceType",
    },
    "torch.autograd.variable": {
        "torch.autograd": "Variable",
    },
    "torch.cpu": {
        "": "torch",
    },
    "torch.cpu.amp.autocast_mode": {
        "torch.cpu.amp": "autocast",
    },
    "torch.cpu.amp.grad_scaler": {
        "torch.cpu.amp": "GradScaler",
    },
    "torch.cuda": {
        "": "torch warnings",
        "torch": "AcceleratorError OutOfMemoryError classproperty",
    },
    "torch.cuda.amp.autocast_mode": {
        "torch.cuda.amp": "autocast custom_bwd custom_fwd",
    },
    "torch.cuda.amp.common": {
        "torch.cuda.amp": "amp_definitely_not_available",
    },
    "torch.cuda.amp.grad_scaler": {
        "torch.cuda.amp": "GradScaler",
    },
    "torch.cuda.gds": {
        "torch.types": "Storage",
    },
    "torch.cuda.graphs": {
        "torch": "Tensor",
        "torch.cuda": "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    },
    "torch.cuda.green_contexts": {
        "torch.cuda": "GreenContext",
    },
    "torch.cuda.jiterator": {
        "torch": "Tensor",
    },
    "torch.cuda.memory": {
        "torch.cuda": "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable change_current_allocator empty_cache get_allocator_backend get_per_process_memory_fraction host_memory_stats host_memory_stats_as_nested_dict is_initialized list_gpu_processes max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_per_process_memory_fraction use_mem_pool",
    },
    "torch.cuda.profiler": {
        "torch.cuda": "check_error cudart",
    },
    "torch.cuda.random": {
        "torch": "Tensor",
        "torch.cuda": "current_device device_count get_rng_state get_rng_state_all initial_seed is_initialized manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all",
    },
    "torch.cuda.streams": {
        "torch.cuda": "Event ExternalStream Stream",
    },
    "torch.distributions.bernoulli": {
        "torch": "Tensor",
        "torch.distributions": "Bernoulli ExponentialFamily",
        "torch.nn.functional": "binary_cross_entropy_with_logits",
    },
    "torch.distributions.beta": {
        "torch": "Tensor",
        "torch.distributions": "Beta Dirichlet ExponentialFamily",
    },
    "torch.distributions.binomial": {
        "torch": "Tensor",
        "torch.distributions": "Binomial Distribution",
    },
    "torch.distributions.categorical": {
        "torch": "Tensor",
        "torch.distributions": "Categorical Distribution",
    },
    "torch.distributions.cauchy": {
        "torch": "Tensor",
        "torch.distributions": "Cauchy Distribution",
    },
    "torch.distributions.chi2": {
        "torch": "Tensor",
        "torch.distributions": "Chi2 Gamma",
    },
    "torch.distributions.constraint_registry": {
        "torch.distributions": "biject_to transform_to",
    },
    "torch.distributions.constraints": {
        "": "torch",
    },
    "torch.distributions.continuous_bernoulli": {
        "torch": "Tensor",
        "torch.distributions": "ContinuousBernoulli ExponentialFamily",
        "torch.nn.functional": "binary_cross_entropy_with_logits",
    },
    "torch.distributions.dirichlet": {
        "torch": "Tensor",
        "torch.autograd": "Function",
        "torch.distributions": "Dirichlet ExponentialFamily",
    },
    "torch.distributions.distribution": {
        "torch": "Tensor",
        "torch.distributions": "Distribution",
    },
    "torch.distributions.exp_family": {
        "torch": "Tensor",
        "torch.distributions": "Distribution ExponentialFamily",
    },
    "torch.distributions.exponential": {
        "torch": "Tensor",
        "torch.distributions": "Exponential ExponentialFamily",
    },
    "torch.distributions.fishersnedecor": {
        "torch": "Tensor",
        "torch.distributions": "Distribution FisherSnedecor Gamma",
    },
    "torch.distributions.gamma": {
        "torch": "Tensor",
        "torch.distributions": "ExponentialFamily Gamma",
    },
    "torch.distributions.generalized_pareto": {
        "torch.distributions": "Distribution GeneralizedPareto",
    },
    "torch.distributions.geometric": {
        "torch": "Tensor",
        "torch.distributions": "Distribution Geometric",
        "torch.nn.functional": "binary_cross_entropy_with_logits",
    },
    "torch.distributions.gumbel": {
        "torch": "Tensor",
        "torch.distributions": "AffineTransform ExpTransform Gumbel TransformedDistribution Uniform",
    },
    "torch.distributions.half_cauchy": {
        "torch": "Tensor",
        "torch.distributions": "AbsTransform Cauchy HalfCauchy TransformedDistribution",
    },
    "torch.distributions.half_normal": {
        "torch": "Tensor",
        "torch.distributions": "AbsTransform HalfNormal Normal TransformedDistribution",
    },
    "torch.distributions.independent": {
        "torch": "Size Tensor",
        "torch.distributions": "Distribution Independent",
    },
    "torch.distributions.inverse_gamma": {
        "torch": "Tensor",
        "torch.distributions": "Gamma InverseGamma PowerTransform TransformedDistribution",
    },
    "torch.distributions.kl": {
        "": "math torch warnings",
        "torch": "Tensor",
        "torch.distributions": "Bernoulli Beta Binomial Categorical Cauchy ContinuousBernoulli Dirichlet Distribution Exponential ExponentialFamily Gamma Geometric Gumbel HalfNormal Independent Laplace LowRankMultivariateNormal MultivariateNormal Normal OneHotCategorical Pareto Poisson TransformedDistribution Uniform",
    },
    "torch.distributions.kumaraswamy": {
        "torch": "Tensor",
        "torch.distributions": "AffineTransform Kumaraswamy PowerTransform TransformedDistribution Uniform",
    },
    "torch.distributions.laplace": {
        "torch": "Tensor",
        "torch.distributions": "Distribution Laplace",
    },
    "torch.distributions.lkj_cholesky": {
        "torch": "Tensor",
        "torch.distributions": "Beta Distribution LKJCholesky",
    },
    "torch.distributions.log_normal": {
        "torch": "Tensor",
        "torch.distributions": "ExpTransform LogNormal Normal TransformedDistribution",
    },
    "torch.distributions.logistic_normal": {
        "torch": "Tensor",
        "torch.distributions": "Independent LogisticNormal Normal StickBreakingTransform TransformedDistribution",
    },
    "torch.distributions.lowrank_multivariate_normal": {
        "torch": "Tensor",
        "torch.distributions": "Distribution LowRankMultivariateNormal",
    },
    "torch.distributions.mixture_same_family": {
        "torch": "Tensor",
        "torch.distributions": "Categorical Distribution MixtureSameFamily",
        "torch.distributions.constraints": "MixtureSameFamilyConstraint",
    },
    "torch.distributions.multinomial": {
        "torch": "Tensor",
        "torch.distributions": "Binomial Categorical Distribution Multinomial",
    },
    "torch.distributions.multivariate_normal": {
        "torch": "Tensor",
        "torch.distributions": "Distribution MultivariateNormal",
    },
    "torch.distributions.negative_binomial": {
        "torch": "Tensor",
        "torch.distributions": "Distribution Gamma NegativeBinomial",
    },
    "torch.distributions.normal": {
        "torch": "Tensor",
        "torch.distributions": "ExponentialFamily Normal",
    },
    "torch.distributions.one_hot_categorical": {
        "torch": "Tensor",
        "torch.distributions": "Categorical Distribution OneHotCategorical OneHotCategoricalStraightThrough",
    },
    "torch.distributions.pareto": {
        "torch": "Tensor",
        "torch.distributions": "AffineTransform ExpTransform Exponential Pareto TransformedDistribution",
    },
    "torch.distributions.poisson": {
        "torch": "Tensor",
        "torch.distributions": "ExponentialFamily Poisson",
    },
    "torch.distributions.relaxed_bernoulli": {
        "torch": "Tensor",
        "torch.distributions": "Distribution RelaxedBernoulli SigmoidTransform TransformedDistribution",
    },
    "torch.distributions.relaxed_categorical": {
        "torch": "Tensor",
        "torch.distributions": "Categorical Distribution ExpTransform RelaxedOneHotCategorical TransformedDistribution",
    },
    "torch.distributions.studentT": {
        "torch": "Tensor",
        "torch.distributions": "Chi2 Distribution StudentT",
    },
    "torch.distributions.transformed_distribution": {
        "torch": "Tensor",
        "torch.distributions": "ComposeTransform Distribution Independent Transform TransformedDistribution",
    },
    "torch.distributions.transforms": {
        "": "math torch",
        "torch": "Tensor",
        "torch.distributions": "Distribution",
        "torch.nn.functional": "pad softplus",
    },
    "torch.distributions.uniform": {
        "torch": "Tensor",
        "torch.distributions": "Distribution Uniform",
    },
    "torch.distributions.utils": {
        "torch": "SymInt Tensor",
        "torch.overrides": "is_tensor_like",
    },
    "torch.distributions.von_mises": {
        "torch": "Tensor",
        "torch.distributions": "Distribution VonMises",
    },
    "torch.distributions.weibull": {
        "torch": "Tensor",
        "torch.distributions": "AffineTransform Exponential PowerTransform TransformedDistribution Weibull",
    },
    "torch.distributions.wishart": {
        "torch": "Tensor",
        "torch.distributions": "ExponentialFamily Wishart",
    },
    "torch.fft": {
        "": "torch",
    },
    "torch.functional": {
        "torch": "Tensor atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index",
        "torch.nn.functional": "has_torch_function has_torch_function_unary has_torch_function_variadic",
        "torch.overrides": "handle_torch_function",
    },
    "torch.futures": {
        "": "torch",
    },
    "torch.hub": {
        "": "torch warnings",
    },
    "torch.library": {
        "": "torch",
    },
    "torch.mps": {
        "": "torch",
        "torch": "Tensor",
    },
    "torch.mps.event": {
        "torch.mps": "Event",
    },
    "torch.mtia": {
        "torch": "Event Stream Tensor",
    },
    "torch.multiprocessing": {
        "": "torch",
    },
    "torch.nested": {
        "": "torch",
        "torch": "SymInt Tensor",
    },
    "torch.nn.attention": {
        "": "torch",
        "torch.backends.cuda": "SDPAParams can_use_efficient_attention can_use_flash_attention",
    },
    "torch.nn.attention.bias": {
        "": "torch",
        "torch.backends.cuda": "SDPAParams can_use_efficient_attention can_use_flash_attention is_flash_attention_available",
    },
    "torch.nn.attention.flex_attention": {
        "": "math torch warnings",
        "torch": "Tensor",
    },
    "torch.nn.common_types": {
        "torch": "Tensor",
    },
    "torch.nn.functional": {
        "": "math torch warnings",
        "torch": "Tensor",
        "torch.overrides": "handle_torch_function",
    },
    "torch.nn.init": {
        "": "math torch warnings",
        "torch": "Tensor",
    },
    "torch.nn.modules": {
        "torch.nn": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d",
    },
    "torch.nn.modules.activation": {
        "torch": "Tensor",
        "torch.nn": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish Module MultiheadAttention PReLU Parameter RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold",
        "torch.nn.init": "constant_ xavier_normal_ xavier_uniform_",
    },
    "torch.nn.modules.adaptive": {
        "torch": "Tensor",
        "torch.nn": "AdaptiveLogSoftmaxWithLoss Linear Module ModuleList Sequential",
    },
    "torch.nn.modules.batchnorm": {
        "torch": "Tensor",
        "torch.nn": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d Module Parameter SyncBatchNorm UninitializedBuffer UninitializedParameter",
    },
    "torch.nn.modules.channelshuffle": {
        "torch": "Tensor",
        "torch.nn": "ChannelShuffle Module",
    },
    "torch.nn.modules.container": {
        "torch.nn": "Container Module ModuleDict ModuleList Parameter ParameterDict ParameterList Sequential",
    },
    "torch.nn.modules.conv": {
        "torch": "Tensor",
        "torch.nn": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d Module Parameter UninitializedParameter",
    },
    "torch.nn.modules.distance": {
        "torch": "Tensor",
        "torch.nn": "CosineSimilarity Module PairwiseDistance",
    },
    "torch.nn.modules.dropout": {
        "torch": "Tensor",
        "torch.nn": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout Module",
    },
    "torch.nn.modules.flatten": {
        "torch": "Tensor",
        "torch.nn": "Flatten Module Unflatten",
    },
    "torch.nn.modules.fold": {
        "torch": "Tensor",
        "torch.nn": "Fold Module Unfold",
    },
    "torch.nn.modules.instancenorm": {
        "torch": "Tensor",
        "torch.nn": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d",
    },
    "torch.nn.modules.linear": {
        "torch": "Tensor",
        "torch.nn": "Bilinear Identity LazyLinear Linear Module Parameter UninitializedParameter",
    },
    "torch.nn.modules.linear_cross_entropy_options": {
        "torch.nn": "LinearCrossEntropyOptions",
    },
    "torch.nn.modules.loss": {
        "torch": "Tensor",
        "torch.nn": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss Linear LinearCrossEntropyLoss LinearCrossEntropyOptions MSELoss MarginRankingLoss Module MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PairwiseDistance PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    },
    "torch.nn.modules.module": {
        "torch": "Tensor device dtype",
        "torch.nn": "Buffer Module Parameter",
    },
    "torch.nn.modules.normalization": {
        "torch": "Size Tensor",
        "torch.nn": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm Module Parameter RMSNorm",
    },
    "torch.nn.modules.padding": {
        "torch": "Tensor",
        "torch.nn": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Module ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    },
    "torch.nn.modules.pixelshuffle": {
        "torch": "Tensor",
        "torch.nn": "Module PixelShuffle PixelUnshuffle",
    },
    "torch.nn.modules.pooling": {
        "torch": "Tensor",
        "torch.nn": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Module",
    },
    "torch.nn.modules.rnn": {
        "torch": "Tensor",
        "torch.nn": "GRU GRUCell LSTM LSTMCell Module Parameter RNN RNNBase RNNCell RNNCellBase",
        "torch.nn.utils.rnn": "PackedSequence",
    },
    "torch.nn.modules.sparse": {
        "torch": "Tensor",
        "torch.nn": "Embedding EmbeddingBag Module Parameter",
    },
    "torch.nn.modules.transformer": {
        "torch": "Tensor",
        "torch.nn": "Dropout LayerNorm Linear Module ModuleList MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
        "torch.nn.init": "xavier_uniform_",
    },
    "torch.nn.modules.upsampling": {
        "torch": "Tensor",
        "torch.nn": "Module Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    },
    "torch.nn.parallel.data_parallel": {
        "torch.nn": "DataParallel Module",
        "torch.nn.parallel": "data_parallel gather parallel_apply replicate",
    },
    "torch.nn.parallel.distributed": {
        "torch.autograd": "Function Variable",
        "torch.distributed": "ReduceOp",
        "torch.distributed.algorithms": "Join JoinHook Joinable",
        "torch.distributed.rpc": "RRef",
        "torch.nn": "Module",
        "torch.nn.parallel": "DistributedDataParallel gather",
    },
    "torch.nn.parallel.parallel_apply": {
        "torch.nn": "Module",
        "torch.nn.parallel": "parallel_apply",
    },
    "torch.nn.parallel.replicate": {
        "torch.nn": "Module",
        "torch.nn.parallel": "replicate",
    },
    "torch.nn.parallel.scatter_gather": {
        "torch.nn.parallel": "gather scatter",
    },
    "torch.nn.parameter": {
        "torch.nn": "Buffer Parameter UninitializedBuffer UninitializedParameter",
    },
    "torch.nn.quantized": {
        "torch.ao.nn.quantized": "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax",
        "torch.nn": "MaxPool2d",
    },
    "torch.nn.quantized.modules": {
        "torch.ao.nn.quantized": "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax",
        "torch.nn": "MaxPool2d",
    },
    "torch.nn.utils.clip_grad": {
        "torch": "Tensor",
        "torch.nn.utils": "clip_grad_norm clip_grad_norm_ clip_grad_value_",
    },
    "torch.nn.utils.convert_parameters": {
        "torch.nn.utils": "parameters_to_vector vector_to_parameters",
    },
    "torch.nn.utils.fusion": {
        "": "torch",
    },
    "torch.nn.utils.init": {
        "torch.nn.utils": "skip_init",
    },
    "torch.nn.utils.memory_format": {
        "torch.nn.utils": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    },
    "torch.nn.utils.parametrizations": {
        "": "torch",
        "torch": "Tensor",
        "torch.nn": "Module",
    },
    "torch.nn.utils.parametrize": {
        "": "torch",
        "torch": "Tensor",
        "torch.nn": "Module ModuleDict ModuleList Parameter",
    },
    "torch.nn.utils.prune": {
        "": "torch",
    },
    "torch.nn.utils.rnn": {
        "": "torch warnings",
        "torch": "Tensor",
    },
    "torch.nn.utils.spectral_norm": {
        "torch.nn": "Module",
        "torch.nn.utils": "remove_spectral_norm spectral_norm",
    },
    "torch.nn.utils.stateless": {
        "": "torch",
        "torch": "Tensor",
    },
    "torch.nn.utils.weight_norm": {
        "torch": "norm_except_dim",
        "torch.nn": "Module Parameter UninitializedParameter",
        "torch.nn.utils": "remove_weight_norm weight_norm",
    },
    "torch.optim.adadelta": {
        "torch": "Tensor",
        "torch.optim": "Adadelta Optimizer",
    },
    "torch.optim.adagrad": {
        "torch": "Tensor",
        "torch.optim": "Adagrad Optimizer",
    },
    "torch.optim.adam": {
        "torch": "Tensor",
        "torch.optim": "Adam Optimizer",
    },
    "torch.optim.adamax": {
        "torch": "Tensor",
        "torch.optim": "Adamax Optimizer",
    },
    "torch.optim.adamw": {
        "torch": "Tensor",
        "torch.optim": "Adam AdamW",
    },
    "torch.optim.asgd": {
        "torch": "Tensor",
        "torch.optim": "ASGD Optimizer",
    },
    "torch.optim.lbfgs": {
        "torch": "Tensor",
        "torch.optim": "LBFGS Optimizer",
    },
    "torch.optim.lr_scheduler": {
        "": "math warnings",
        "torch": "Tensor",
        "torch.optim": "Optimizer",
    },
    "torch.optim.nadam": {
        "torch": "Tensor",
        "torch.optim": "NAdam Optimizer",
    },
    "torch.optim.optimizer": {
        "torch.optim": "Optimizer",
    },
    "torch.optim.radam": {
        "torch": "Tensor",
        "torch.optim": "Optimizer RAdam",
    },
    "torch.optim.rmsprop": {
        "torch": "Tensor",
        "torch.optim": "Optimizer RMSprop",
    },
    "torch.optim.rprop": {
        "torch": "Tensor",
        "torch.optim": "Optimizer Rprop",
    },
    "torch.optim.sgd": {
        "torch": "Tensor",
        "torch.optim": "Optimizer SGD",
    },
    "torch.optim.sparse_adam": {
        "torch": "Tensor",
        "torch.optim": "Optimizer SparseAdam",
    },
    "torch.optim.swa_utils": {
        "": "math torch warnings",
        "torch": "Tensor",
        "torch.nn": "Module",
        "torch.optim.lr_scheduler": "LRScheduler",
    },
    "torch.overrides": {
        "": "torch warnings",
        "torch.nn.functional": "has_torch_function_unary has_torch_function_variadic",
    },
    "torch.profiler": {
        "torch.autograd.profiler": "KinetoStepTracker",
        "torch.optim": "Optimizer",
    },
    "torch.profiler.profiler": {
        "torch": "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12",
        "torch.profiler": "ExecutionTraceObserver ProfilerAction ProfilerActivity kineto_available profile schedule supported_activities tensorboard_trace_handler",
    },
    "torch.quantization": {
        "torch.ao.quantization": "FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver PerChannelMinMaxObserver QConfigAny QConfigDynamic RecordingObserver convert_dynamic_jit convert_jit default_dynamic_quant_observer default_float_qparams_observer default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant default_histogram_observer disable_fake_quant disable_observer enable_fake_quant enable_observer fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_linear_bn get_default_float_to_quantized_operator_mappings get_default_qat_qconfig get_default_qconfig get_dynamic_quant_module_class get_observer_state_dict load_observer_state_dict no_observer_set prepare_dynamic_jit prepare_jit qconfig_equals script_qconfig script_qconfig_dict",
    },
    "torch.quantization.fake_quantize": {
        "torch.ao.quantization": "FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant disable_fake_quant disable_observer enable_fake_quant enable_observer",
        "torch.quantization": "default_fake_quant default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_neg1to1_fake_quant default_histogram_fake_quant default_per_channel_weight_fake_quant default_weight_fake_quant",
    },
    "torch.quantization.fuse_modules": {
        "torch.ao.quantization": "fuse_conv_bn fuse_conv_bn_relu",
        "torch.quantization": "fuse_modules get_fuser_method",
    },
    "torch.quantization.fuser_method_mappings": {
        "torch.ao.quantization": "fuse_conv_bn fuse_conv_bn_relu fuse_linear_bn",
        "torch.quantization": "get_fuser_method",
    },
    "torch.quantization.observer": {
        "torch.ao.quantization": "MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver PerChannelMinMaxObserver RecordingObserver default_dynamic_quant_observer default_float_qparams_observer default_histogram_observer get_observer_state_dict load_observer_state_dict",
        "torch.quantization": "HistogramObserver ObserverBase default_observer default_per_channel_weight_observer default_placeholder_observer default_weight_observer",
    },
    "torch.quantization.qconfig": {
        "torch.ao.quantization": "QConfigAny QConfigDynamic get_default_qat_qconfig get_default_qconfig qconfig_equals",
        "torch.quantization": "QConfig",
    },
    "torch.quantization.quant_type": {
        "torch.quantization": "QuantType",
    },
    "torch.quantization.quantization_mappings": {
        "torch.ao.quantization": "get_default_float_to_quantized_operator_mappings get_dynamic_quant_module_class no_observer_set",
        "torch.quantization": "get_default_compare_output_module_list get_default_dynamic_quant_module_mappings get_default_qat_module_mappings get_default_qconfig_propagation_list get_default_static_quant_module_mappings get_quantized_operator get_static_quant_module_class",
    },
    "torch.quantization.quantize": {
        "torch.quantization": "add_quant_dequant convert prepare prepare_qat propagate_qconfig_ quantize quantize_dynamic quantize_qat swap_module",
    },
    "torch.quantization.quantize_jit": {
        "torch.ao.quantization": "convert_dynamic_jit convert_jit fuse_conv_bn_jit prepare_dynamic_jit prepare_jit script_qconfig script_qconfig_dict",
        "torch.quantization": "quantize_dynamic_jit quantize_jit",
    },
    "torch.quantization.stubs": {
        "torch.quantization": "DeQuantStub QuantStub QuantWrapper",
    },
    "torch.random": {
        "torch": "get_rng_state initial_seed seed set_rng_state thread_safe_generator",
    },
    "torch.serialization": {
        "torch": "load save",
        "torch.types": "Storage",
    },
    "torch.signal.windows.windows": {
        "torch": "Tensor",
        "torch.signal.windows": "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall",
    },
    "torch.sparse": {
        "": "torch",
        "torch": "Tensor",
    },
    "torch.sparse.semi_structured": {
        "torch.sparse": "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS to_sparse_semi_structured",
    },
    "torch.special": {
        "": "torch",
        "torch": "Tensor",
    },
    "torch.storage": {
        "torch": "TypedStorage UntypedStorage",
        "torch.types": "Storage",
    },
    "torch.types": {
        "torch": "DispatchKey Size SymBool SymFloat SymInt Tensor",
    },
    "torch.utils": {
        "": "torch",
    },
    "torch.utils.backend_registration": {
        "torch.nn.functional": "has_torch_function_unary",
        "torch.overrides": "handle_torch_function",
        "torch.utils": "generate_methods_for_privateuse1_backend rename_privateuse1_backend",
    },
    "torch.utils.benchmark": {
        "": "math torch",
    },
    "torch.utils.benchmark.utils.common": {
        "torch.utils.benchmark": "Measurement TaskSpec ordered_unique select_unit set_torch_threads trim_sigfig unit_to_english",
    },
    "torch.utils.benchmark.utils.compare": {
        "torch.utils.benchmark": "Colorize Compare",
    },
    "torch.utils.benchmark.utils.fuzzer": {
        "torch.utils.benchmark": "FuzzedParameter FuzzedTensor Fuzzer ParameterAlias",
    },
    "torch.utils.benchmark.utils.sparse_fuzzer": {
        "torch.utils.benchmark": "FuzzedSparseTensor FuzzedTensor",
    },
    "torch.utils.benchmark.utils.timer": {
        "torch.utils.benchmark": "Language Timer timer",
    },
    "torch.utils.benchmark.utils.valgrind_wrapper.timer_interface": {
        "torch.utils.benchmark": "CallgrindStats CopyIfCallgrind FunctionCount FunctionCounts",
    },
    "torch.utils.checkpoint": {
        "": "torch warnings",
    },
    "torch.utils.cpp_backtrace": {
        "torch.utils": "get_cpp_backtrace",
    },
    "torch.utils.cpp_extension": {
        "": "torch",
    },
    "torch.utils.data.dataloader": {
        "torch.utils.data": "BatchSampler DataLoader Dataset IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler default_collate default_convert get_worker_info",
    },
    "torch.utils.data.datapipes.dataframe": {
        "torch.utils.data": "DFIterDataPipe",
    },
    "torch.utils.data.datapipes.dataframe.dataframes": {
        "torch.utils.data": "DFIterDataPipe IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.dataframe.datapipes": {
        "torch.utils.data": "DFIterDataPipe IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.dataframe.structures": {
        "torch.utils.data": "DataChunk",
    },
    "torch.utils.data.datapipes.datapipe": {
        "torch.utils.data": "DFIterDataPipe DataChunk Dataset IterDataPipe IterableDataset MapDataPipe",
    },
    "torch.utils.data.datapipes.iter.callable": {
        "torch.utils.data": "IterDataPipe default_collate functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.combinatorics": {
        "torch.utils.data": "IterDataPipe Sampler SequentialSampler functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.combining": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.filelister": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.fileopener": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.grouping": {
        "torch.utils.data": "DataChunk IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.routeddecoder": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.selecting": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.sharding": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.streamreader": {
        "torch.utils.data": "IterDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.iter.utils": {
        "torch.utils.data": "IterDataPipe",
    },
    "torch.utils.data.datapipes.map.callable": {
        "torch.utils.data": "MapDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.map.combinatorics": {
        "torch.utils.data": "IterDataPipe MapDataPipe",
    },
    "torch.utils.data.datapipes.map.combining": {
        "torch.utils.data": "MapDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.map.grouping": {
        "torch.utils.data": "DataChunk MapDataPipe functional_datapipe",
    },
    "torch.utils.data.datapipes.map.utils": {
        "torch.utils.data": "MapDataPipe",
    },
    "torch.utils.data.dataset": {
        "torch": "Generator Tensor randperm",
        "torch.utils.data": "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split",
    },
    "torch.utils.data.distributed": {
        "": "math torch",
        "torch.utils.data": "Dataset Sampler",
    },
    "torch.utils.data.graph": {
        "torch.utils.data": "IterDataPipe MapDataPipe",
    },
    "torch.utils.data.sampler": {
        "torch.utils.data": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler",
    },
    "torch.utils.dlpack": {
        "": "torch",
        "torch": "to_dlpack",
    },
    "torch.utils.throughput_benchmark": {
        "torch.utils": "ThroughputBenchmark",
    },
    "torch.utils.weak": {
        "torch": "Tensor",
    },
    "torch.xpu": {
        "": "torch warnings",
    },
    "torch.xpu.graphs": {
        "torch": "Tensor",
        "torch.xpu": "XPUGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    },
    "torch.xpu.memory": {
        "torch.xpu": "MemPool XPUPluggableAllocator change_current_allocator empty_cache get_per_process_memory_fraction is_initialized max_memory_allocated max_memory_reserved mem_get_info memory_allocated memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats reset_peak_memory_stats set_per_process_memory_fraction use_mem_pool",
    },
    "torch.xpu.random": {
        "torch": "Tensor",
        "torch.xpu": "current_device device_count get_rng_state get_rng_state_all initial_seed is_initialized manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all",
    },
    "torch.xpu.streams": {
        "torch.xpu": "Event Stream",
    },
}

# module -> what a star import of it brings
STAR: dict[str, str] = {
    "torch": "AVG AcceleratorError AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats Block BoolStorage BoolTensor BoolType BufferDict ByteStorage ByteTensor CallStack Capsule CharStorage CharTensor ClassType Code CompilationUnit CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext DeviceObjType DictType DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet DoubleStorage DoubleTensor EnumType ErrorReport Event ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatStorage FloatTensor FloatType FunctionSchema Future FutureType Generator GradScaler Gradient Graph GraphExecutorState IODescriptor InferredType IntStorage IntTensor IntType InterfaceType JITException ListType LiteScriptModule LockingLogger LongStorage LongTensor ModuleDict Node NoneType NoopLogger NumberType OperatorInfo OptionalType OutOfMemoryError ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter RRefType SUM ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty SerializationStorageContext ShortStorage ShortTensor Size StaticModule Stream StreamObjType StringType SymBool SymBoolType SymFloat SymInt SymIntType Tag Tensor TensorType ThroughputBenchmark TracingState TupleType Type TypedStorage UnionType UntypedStorage Use Value abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint affine_grid_generator alias_copy all allclose alpha_dropout alpha_dropout_ amax amin aminmax angle any arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ are_deterministic_algorithms_enabled argmax argmin argsort argwhere as_strided as_strided_ as_strided_copy as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d autocast autocast_decrement_nesting autocast_increment_nesting avg_pool1d baddbmm bartlett_window batch_norm batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli bfloat16 bilinear binary_cross_entropy_with_logits bincount binomial bit bits16 bits1x8 bits2x4 bits4x2 bits8 bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag bmm bool broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat ccol_indices_copy cdist cdouble ceil ceil_ celu celu_ cfloat chain_matmul chalf channel_shuffle cholesky cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clear_autocast_cache clip clip_ clone col_indices_copy column_stack combinations compile complex complex128 complex32 complex64 concat concatenate cond conj conj_physical conj_physical_ constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cpp cross crow_indices_copy ctc_loss cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable cummax cummin cumprod cumsum cumulative_trapezoid default_generator deg2rad deg2rad_ dequantize det detach detach_ detach_copy device diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma dist div divide dot double dropout dropout_ dsmm dsplit dstack dtype e einsum embedding embedding_bag embedding_renorm_ empty empty_like empty_permuted empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv exp exp2 exp2_ exp_ expand_copy expm1 expm1_ export eye fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ fill fill_ finfo fix fix_ flatten flip fliplr flipud float float16 float32 float4_e2m1fn_x2 float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float_power floor floor_ floor_divide fmax fmin fmod fork frac frac_ frexp frobenius_norm from_file from_numpy frombuffer full full_like fused_moving_avg_obs_fake_quant gather gcd gcd_ ge geqrf ger get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device get_default_dtype get_deterministic_debug_mode get_device get_device_module get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt half hamming_window hann_window hardshrink has_lapack has_mkl has_openmp has_spectral hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm hstack hypot i0 i0_ igamma igammac iinfo imag import_ir_module import_ir_module_from_buffer index_add index_copy index_fill index_put index_put_ index_reduce index_select indices_copy inf inference_mode init_num_threads initial_seed inner instance_norm int int1 int16 int2 int3 int32 int4 int5 int6 int64 int7 int8 int_repr inverse is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled is_complex is_conj is_deterministic_algorithms_warn_only_enabled is_distributed is_floating_point is_grad_enabled is_inference is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage is_tensor is_vulkan_available is_warn_always_enabled isclose isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window kl_div kron kthvalue layer_norm layout lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma linspace load lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace logsumexp long lstm lstm_cell lt lu_solve lu_unpack manual_seed margin_ranking_loss masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum mean median memory_format merge_type_from_type_comment meshgrid min minimum miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer mm mode moveaxis movedim msort mul multinomial multiply mv mvlgamma nan nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm ne neg neg_ negative negative_ newaxis nextafter no_grad nonzero nonzero_static norm norm_except_dim normal not_equal nuclear_norm numel ones ones_like orgqr ormqr outer pairwise_distance parse_ir parse_schema parse_type_comment pdist permute permute_copy pi pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu prod promote_types put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qr qscheme quantile quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru_cell quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell quint2x4 quint4x2 quint8 rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like randperm range ravel real reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_ rsub saddmm save scalar_tensor scatter scatter_add scatter_reduce searchsorted seed select select_copy select_scatter selu selu_ set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads set_printoptions set_rng_state set_warn_always sgn short sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse slice_scatter slogdet smm softmax sort sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor split split_copy split_with_sizes split_with_sizes_copy spmm sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean stft sub subtract sum svd swapaxes swapdims sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum t t_copy take take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot thread_safe_generator threshold threshold_ tile topk trace transpose transpose_copy trapezoid trapz triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_ typename uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64 uint7 uint8 unbind unbind_copy unflatten unfold_copy unify_type_list unique_consecutive unravel_index unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms values_copy vander var var_mean vdot view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vmap vsplit vstack wait where xlogy xlogy_ zero_ zeros zeros_like",
    "torch.nn": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance Parameter ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold UninitializedBuffer UninitializedParameter Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d attention common_types factory_kwargs functional grad init intrinsic modules parallel parameter qat quantizable quantized utils",
    "torch.nn.functional": "BroadcastingList1 BroadcastingList2 BroadcastingList3 Callable DType GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional ScalingType SwizzleType TYPE_CHECKING Tensor adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout assert_int_or_pair avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits boolean_dispatch celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dataclasses dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grad grid_sample group_norm grouped_mm gumbel_softmax handle_torch_function hardshrink hardsigmoid hardswish hardtanh hardtanh_ has_torch_function has_torch_function_unary has_torch_function_variadic hinge_embedding_loss huber_loss importlib instance_norm interpolate kl_div l1_loss layer_norm leaky_relu leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss math max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss native_channel_shuffle nll_loss normalize np one_hot pad pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ reproducibility_notes rms_norm rrelu rrelu_ scaled_dot_product_attention scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign sparse_support_notes tanh tanhshrink tf32_notes threshold threshold_ torch triplet_margin_loss triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest warnings",
    "torch.nn.init": "calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal orthogonal_ sparse sparse_ trunc_normal_ uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ zeros_",
    "torch.nn.utils": "clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights get_total_norm parameters_to_vector parametrizations parametrize remove_spectral_norm remove_weight_norm rnn skip_init spectral_norm stateless vector_to_parameters weight_norm",
    "torch.nn.utils.rnn": "PackedSequence invert_permutation pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence unpack_sequence unpad_sequence",
    "torch.nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter UninitializedTensorMixin is_lazy",
    "torch.nn.modules": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d",
    "torch.nn.parallel": "DataParallel DistributedDataParallel data_parallel gather parallel_apply replicate scatter",
    "torch.optim": "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop SGD SparseAdam lr_scheduler swa_utils swap_in_optimizer_params_and_state",
    "torch.optim.lr_scheduler": "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR",
    "torch.autograd": "Function NestedIOFunction Variable backward detect_anomaly enable_grad enforce_grad_layout_policy grad grad_mode gradcheck gradgradcheck inference_mode no_grad set_detect_anomaly set_grad_enabled set_multithreading_enabled variable",
    "torch.autograd.variable": "Variable VariableMeta",
    "torch.autograd.function": "BackwardCFunction Function FunctionCtx FunctionMeta InplaceFunction NestedIOFunction once_differentiable",
    "torch.utils.data": "BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader Dataset DistributedSampler IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler StackDataset Subset SubsetRandomSampler TensorDataset WeightedRandomSampler _DatasetKind argument_validation default_collate default_convert functional_datapipe get_worker_info guaranteed_datapipes_determinism non_deterministic random_split runtime_validation runtime_validation_disabled",
    "torch.utils.checkpoint": "CheckpointError CheckpointFunction CheckpointPolicy DefaultDeviceType GraphExecGroup SAC_IGNORED_OPS SelectiveCheckpointContext check_backward_validity checkpoint checkpoint_sequential create_selective_checkpoint_contexts detach_variable get_device_states noop_context_fn set_checkpoint_debug_enabled set_checkpoint_early_stop set_device_states",
    "torch.cuda": "BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage DoubleTensor Event ExternalStream FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor MemPool ShortStorage ShortTensor Stream StreamContext amp caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable can_device_access_peer change_current_allocator check_error clock_rate cudaStatus cudart current_blas_handle current_device current_solver_handle current_stream default_generators default_stream device device_count device_memory_used device_of empty_cache get_allocator_backend get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state get_rng_state_all get_stream_from_external get_sync_debug_mode graph graph_pool_handle graphs has_half has_magma host_memory_stats host_memory_stats_as_nested_dict init initial_seed ipc_collect is_available is_bf16_supported is_current_stream_capturing is_initialized is_tf32_supported jiterator list_gpu_processes make_graphed_callables manual_seed manual_seed_all max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary memory_usage nccl nvtx power_draw profiler random reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream set_sync_debug_mode sparse stream streams synchronize temperature tunable use_mem_pool utilization",
    "torch.cuda.amp": "GradScaler amp_definitely_not_available autocast custom_bwd custom_fwd",
    "torch.amp": "GradScaler autocast custom_bwd custom_fwd is_autocast_available",
    "torch.distributions": "AbsTransform AffineTransform Bernoulli Beta Binomial CatTransform Categorical Cauchy Chi2 ComposeTransform ContinuousBernoulli CorrCholeskyTransform CumulativeDistributionTransform Dirichlet Distribution ExpTransform Exponential ExponentialFamily FisherSnedecor Gamma GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal Independent IndependentTransform InverseGamma Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal LowRankMultivariateNormal LowerCholeskyTransform MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial Normal OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson PositiveDefiniteTransform PowerTransform RelaxedBernoulli RelaxedOneHotCategorical ReshapeTransform SigmoidTransform SoftmaxTransform SoftplusTransform StackTransform StickBreakingTransform StudentT TanhTransform Transform TransformedDistribution Uniform VonMises Weibull Wishart biject_to identity_transform kl_divergence register_kl transform_to",
    "torch.distributed": "AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions BuiltinCommHookType DebugLevel DeviceMesh DistBackendError DistError DistNetworkError DistStoreError FileStore GatherOptions GradBucket GroupMember GroupName HashStore Logger P2POp PrefixStore ProcessGroup ProcessGroupGloo QueueEmptyError RankType ReduceOp ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work algorithms all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single autograd barrier batch_isend_irecv breakpoint broadcast broadcast_object_list c10d_logger checkpoint config constants default_pg_timeout destroy_process_group device_mesh distributed_c10d elastic fsdp gather gather_object get_backend get_backend_config get_debug_level get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_pg_count get_process_group_ranks get_rank get_world_size group init_device_mesh init_process_group irecv is_available is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available isend log logging logging_handlers monitored_barrier new_group new_subgroups new_subgroups_by_enumeration nn optim record_comm recv recv_object_list reduce reduce_op reduce_scatter reduce_scatter_single reduce_scatter_tensor register_rendezvous_handler remote_device rendezvous rpc scatter scatter_object_list send send_object_list set_debug_level set_debug_level_from_env shrink_group split_group supports_complex sys tensor timedelta torch traceback typing utils",
    "torch.fft": "Tensor fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn",
    "torch.linalg": "LinAlgError cholesky cholesky_ex common_notes cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm",
    "torch.functional": "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index",
    "torch.utils": "ThroughputBenchmark backcompat backend_registration benchmark checkpoint cmake_prefix_path collect_env copyreg cpp_backtrace cpp_extension data deterministic dlpack file_baton generate_methods_for_privateuse1_backend get_cpp_backtrace hooks model_zoo rename_privateuse1_backend set_module swap_tensors throughput_benchmark torch weak weakref",
    "torch.random": "fork_rng get_rng_state initial_seed manual_seed seed set_rng_state thread_safe_generator",
}

# public methods of torch.Tensor, separated by blanks
TENSOR_METHODS = "abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint all allclose amax amin aminmax angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool broadcast_to byte cauchy_ ccol_indices cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone coalesce col_indices conj conj_physical conj_physical_ const_data_ptr contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu cross crow_indices cuda cummax cummin cumprod cumprod_ cumsum cumsum_ data_ptr deg2rad deg2rad_ dense_dim dequantize det detach detach_ diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order dist div div_ divide divide_ dot double dsplit eig element_size eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_ fill_diagonal_ fix fix_ flatten flip fliplr flipud float float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ ge ge_ geometric_ geqrf ger get_device greater greater_ greater_equal greater_equal_ gt gt_ half hardshrink hash_tensor heaviside heaviside_ histc histogram hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ index index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices inner int int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_set_to is_shared is_signed isclose isfinite isinf isnan isneginf isposinf isreal istft item kron kthvalue lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu lu_solve map2_ map_ masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm mode module_load moveaxis movedim msort mtia mul mul_ multinomial multiply multiply_ mv mvlgamma mvlgamma_ nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy ndimension ne ne_ neg neg_ negative negative_ nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero nonzero_static norm normal_ not_equal not_equal_ numel numpy orgqr ormqr outer permute pin_memory pinverse polygamma polygamma_ positive pow pow_ prelu prod put put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ random_ ravel reciprocal reciprocal_ record_stream register_hook register_post_accumulate_grad_hook reinforce relu relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg retain_grad roll rot90 round round_ row_indices rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter set_ sgn sgn_ share_memory_ short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse slice_scatter slogdet smm softmax solve sort sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft storage storage_offset storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes swapaxes_ swapdims swapdims_ symeig t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace transpose transpose_ triangular_solve tril tril_ triu triu_ true_divide true_divide_ trunc trunc_ type type_as unbind unflatten unfold uniform_ unique unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage values var vdot view view_as vsplit where xlogy xlogy_ xpu zero_"
